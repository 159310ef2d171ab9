// A list in managed memory, which both sides follow.
// bug 1: use after free on func
// bug 2: bounds on sim:tiny
#include "check.h"

struct Node {
	int value;
	Node *next;
};

__global__ void add(Node *list, int *sum) {
	for (Node *n = list; n; n = n->next) // BUG 1 2
		*sum += n->value;                // BUG 1 2
}

int main() {
	Node *nodes[5], *list = nullptr;
	for (int i = 0; i < 5; i++) {
		TRY(cudaMallocManaged(&nodes[i], sizeof(Node)));
		*nodes[i] = {i, list};
		list = nodes[i];
	}
	int *sum;
	TRY(cudaMallocManaged(&sum, sizeof *sum));
	*sum = 0;
	if (BUG == 2)
		nodes[2]->next = nodes[1] + 1;
	if (BUG == 1)
		TRY(cudaFree(nodes[1]));
	add<<<1, 1>>>(list, sum);
	WAIT();
	CHECK(*sum == 10);
	nodes[0]->next = nullptr;
	puts("ok");
}
