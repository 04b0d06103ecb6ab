/** To be written. */
export function StatisticsPage() {
  return null
}
