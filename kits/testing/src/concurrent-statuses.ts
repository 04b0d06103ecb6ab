/** Makes calls at the same time and returns their statuses, sorted. */
export async function concurrentStatuses(
  call: (index: number) => Promise<{ readonly status: number }>,
  count = 8,
): Promise<number[]> {
  const answers = await Promise.all(Array.from({ length: count }, (_, index) => call(index)))
  return answers.map(({ status }) => status).sort((a, b) => a - b)
}

/** Result of `concurrentStatuses` when one call succeeds and every other is refused with a conflict. */
export function onlyOne(status: number, count = 8): number[] {
  return [status, ...Array.from({ length: count - 1 }, () => 409)]
}
