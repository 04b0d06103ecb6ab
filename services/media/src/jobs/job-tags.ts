/** Maximum number of tags of a job, and length of one, characters. */
export const [maxTags, maxTagLength] = [30, 40] as const

/** Reads the stored tags of a job. */
export const readTags = (stored: string | null): string[] => (stored === null ? [] : (JSON.parse(stored) as string[]))

/** Returns the tags after a change, in the order of adding; a tag that is there already stays where it is. */
export function changedTags(
  present: readonly string[],
  { add, remove }: { add: readonly string[]; remove: readonly string[] },
): string[] {
  const gone = new Set(remove)
  return [...new Set([...present.filter((tag) => !gone.has(tag)), ...add])]
}
