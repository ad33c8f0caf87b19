/** What a text that others read in lists and logs must not contain: control characters, line separators, and the characters that
 * reverse the order of the text after them. */
export const UNSHOWABLE = /[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/u
