/** Works on every item, at most `bound` at a time, and answers in the order of the items. `work` must not reject. */
export async function atMost<Item, Result>(
  bound: number,
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results = new Map<number, Result>()
  const queue = items.entries()
  const drain = async () => {
    for (const [index, item] of queue) results.set(index, await work(item))
  }
  await Promise.all(Array.from({ length: Math.min(bound, items.length) }, drain))
  return items.map((_, index) => results.get(index) as Result)
}
