/** What is said while another attempt has to wait; `seconds` is how long still. */
export function describeWait(seconds: number): string {
  if (seconds < 60) return `Too many attempts. Try again in ${seconds} s.`
  const minutes = Math.ceil(seconds / 60)
  return `Too many attempts. Try again in ${minutes} ${minutes === 1 ? 'minute' : 'minutes'}.`
}
