/** To be written. */
export function SettingsPage() {
  return null
}
