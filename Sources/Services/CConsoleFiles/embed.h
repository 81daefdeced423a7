// Adds the file FILE to the table: the part of `files.c` that is the same for each of them.
{
    static const unsigned char bytes[] = {
#embed FILE
    };
    if (count < room) table[count] = (struct fanfare_console_file){FILE, bytes, sizeof bytes};
    count++;
}
#undef FILE
