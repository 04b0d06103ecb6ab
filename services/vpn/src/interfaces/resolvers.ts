/** A list of resolvers in the one form it is stored and shown: addresses divided by a comma and a blank. */
export function normaliseResolvers(text: string): string {
  return parseResolvers(text).join(', ')
}

/** The addresses in a comma-separated list, in order; none for an empty one. */
export function parseResolvers(text: string): string[] {
  return text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')
}
