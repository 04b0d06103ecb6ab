const length = 32

/** The public name of a session: half of the hash of its key, from which nobody can tell the key. */
export const sessionIdOf = ({ keyHash }: { readonly keyHash: string }): string => keyHash.slice(0, length)
