import { PageHeader } from '@hearth/ui'

/** Stands in for the page. */
export function SettingsPage() {
  return <PageHeader title="Settings" />
}
