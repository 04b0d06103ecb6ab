import { NumberInput } from '@mantine/core'
import { ListField, NumberField, SwitchField, TextAreaField, useEditing } from './fields.tsx'
import { issueAt } from './issues.ts'

const mebibyte = 1_048_576

/** Limits, the page for failures, and what is logged. */
export function LimitSection() {
  const { draft, issues, set } = useEditing()
  return (
    <>
      <NumberInput
        label="Largest request (MiB)"
        placeholder="no limit"
        hideControls
        min={0}
        error={issueAt(issues, 'max_body')}
        value={draft.max_body === null ? '' : draft.max_body / mebibyte}
        onChange={(size) => set('max_body', typeof size === 'number' ? Math.round(size * mebibyte) : null)}
      />
      <TextAreaField
        path="error_page"
        label="Error page"
        isMono
        isNullable
        placeholder="none"
        description="HTML that is shown when no server behind the site answers"
      />
      <SwitchField path="log.enabled" label="Log requests" description="Traffic is counted from the log." />
      <SwitchField path="log.own_file" label="Also into a file of its own" />
    </>
  )
}

/** Fields of the maintenance mode. */
export function MaintenanceSection() {
  return (
    <>
      <SwitchField
        path="maintenance_mode"
        label="In maintenance"
        description="Visitors get status 503 and the page below."
      />
      <ListField path="maintenance.allow" label="Networks that see the site as ever" placeholder="192.168.0.0/16" />
      <NumberField path="maintenance.retry_after" label="Come back after (seconds)" min={1} max={604_800} />
      <TextAreaField
        path="maintenance.page"
        label="Page"
        isMono
        isNullable
        placeholder="the page of the settings"
        description="HTML"
      />
    </>
  )
}
