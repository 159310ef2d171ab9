// A list of plain values: the runtime does without the C++ library.
#pragma once
#include <stddef.h>
#include <stdlib.h>

namespace weft {

template <class T> struct List {
	T *items = nullptr;
	size_t count = 0;

	T &add(const T &v) {
		T copy = v; // which may be of the list itself
		items = (T *)realloc((void *)items, (count + 1) * sizeof v);
		return items[count++] = copy;
	}
	void remove(size_t i) {
		for (count--; i < count; i++)
			items[i] = items[i + 1];
	}
	void clear() {
		free((void *)items);
		items = nullptr, count = 0;
	}
	T *begin() const { return items; }
	T *end() const { return items + count; }
};

} // namespace weft
