// weft_fake_symbol is a function of the driver by name, or null.
void *weft_fake_symbol(const char *name);
