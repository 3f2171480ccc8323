/** The most characters of base64 that one command carries, and the bytes of a file that fit into them. */
export const LARGEST_CONTENT = 15_000_000;
export const LARGEST_FILE = (LARGEST_CONTENT / 4) * 3;
