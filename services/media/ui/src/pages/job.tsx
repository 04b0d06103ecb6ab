/** To be written. */
export function JobPage() {
  return null
}
