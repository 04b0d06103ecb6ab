/** Statuses of calls that are made at the same moment, sorted. */
export async function statusesTogether(
  call: (index: number) => Promise<{ readonly status: number }>,
  count = 8,
): Promise<number[]> {
  const answers = await Promise.all(Array.from({ length: count }, (_, index) => call(index)))
  return answers.map(({ status }) => status).sort((a, b) => a - b)
}

/** What `statusesTogether` gives when one call succeeds and every other is told of the conflict. */
export function onlyOne(status: number, count = 8): number[] {
  return [status, ...Array.from({ length: count - 1 }, () => 409)]
}
