/** Measured energy that counts, watt-hours. */
const minWattHours = 1e-6

/**
 * Divides whole watt-hours among slots. `measured` is what the powers of each slot say, null for a slot that was not measured:
 * measured slots get their own energy, the others equal parts of the rest. With every slot measured, the parts are in proportion.
 * The sum of the parts is the total.
 */
export function distribute(total: number, measured: readonly (number | null)[]): number[] {
  const sum = measured.reduce<number>((all, energy) => all + (energy ?? 0), 0)
  // Less than that is nothing: in proportion to it, numbers would be without an end.
  const known = sum < minWattHours ? 0 : sum
  const unknown = measured.filter((energy) => energy === null).length
  const isShort = unknown === 0 || known > total
  const factor = isShort && known > 0 ? total / known : 1
  const rest = isShort && known > 0 ? 0 : total - known
  const perSlot = unknown === 0 ? rest / measured.length : rest / unknown
  const evenly = unknown === 0 && known === 0
  let exact = 0
  let given = 0
  return measured.map((energy, index) => {
    exact += energy === null || evenly ? perSlot : energy * factor
    // Rounded sums instead of sums of rounded parts: nothing gets lost on the way.
    const upTo = index === measured.length - 1 ? total : Math.round(exact)
    const part = upTo - given
    given = upTo
    return part
  })
}
