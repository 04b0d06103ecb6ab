import { NumberField, SwitchField, TextField, useEditing } from './fields.tsx'

/** How the site is checked. */
export function CheckSection() {
  const { draft } = useEditing()
  return (
    <>
      <SwitchField
        path="check.enabled"
        label="Check this site"
        description="Requests it through Caddy as a visitor does, and notifies when it is down."
      />
      {draft.check.enabled && (
        <>
          <NumberField path="check.interval_seconds" label="Every (seconds)" min={10} max={86_400} />
          <TextField path="check.path" label="Path" placeholder="/" isMono />
          <TextField
            path="check.expected_status"
            label="Expected status"
            description="Statuses or ranges, such as 200-399, 401. The default takes everything that is no error of the server."
            isMono
          />
          <TextField
            path="check.expected_text"
            label="Expected text"
            placeholder="any"
            isNullable
            description="A text that the page contains"
          />
          <NumberField path="check.timeout_seconds" label="Time limit (seconds)" min={1} max={60} />
          <NumberField
            path="check.failures"
            label="Failed checks until it is down"
            description="One failure alone may have met a restart."
            min={1}
            max={10}
          />
          <SwitchField
            path="check.verify_tls"
            label="Check the certificate"
            description="Expired, of another name or not trusted counts as down."
          />
          <SwitchField
            path="check.follow_redirects"
            label="Follow redirects"
            description="To the names of this site only, never to other hosts."
          />
        </>
      )}
    </>
  )
}
