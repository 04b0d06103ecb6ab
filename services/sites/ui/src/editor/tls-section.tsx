import { blankHsts } from './blank-draft.ts'
import { NumberField, PartSwitch, SelectField, SwitchField, TextField, useEditing } from './fields.tsx'
import { useUploadOptions } from '../certificates/read-certificates.ts'

const modes = [
  { value: 'auto', label: 'Automatic, from a public authority' },
  { value: 'internal', label: 'Internal: Caddy signs it itself' },
  { value: 'custom', label: 'Own: one that was uploaded or ordered' },
  { value: 'on_demand', label: 'At the first visit' },
  { value: 'off', label: 'Off: plain HTTP only' },
] as const

/** Certificates, versions, and how visitors are led to HTTPS. */
export function TlsSection() {
  const { draft } = useEditing()
  const { mode } = draft.tls
  const certificates = useUploadOptions('certificate', mode === 'custom')
  const authorities = useUploadOptions('authority', mode !== 'off')
  return (
    <>
      <SelectField path="tls.mode" label="Certificate" options={modes} />
      {mode === 'custom' && (
        <SelectField
          path="tls.certificate_id"
          label="Own certificate"
          isNullable
          options={[{ value: '', label: 'Choose one' }, ...certificates]}
          description="Certificates are uploaded, or ordered by DNS, on the page Certificates."
        />
      )}
      {(mode === 'auto' || mode === 'on_demand') && (
        <>
          <TextField
            path="tls.acme_ca"
            label="Other authority"
            placeholder="https://acme.example.org/directory"
            isNullable
            isMono
            description="Its ACME directory; empty takes that of the settings"
          />
          <SwitchField
            path="tls.staging"
            label="Test authority"
            description="Let’s Encrypt’s staging: browsers do not trust it, and it has hardly any limits."
          />
        </>
      )}
      {mode !== 'off' && (
        <>
          <div className="field-columns">
            <SelectField
              path="tls.min_version"
              label="Minimum version"
              options={[
                { value: '1.2', label: 'TLS 1.2' },
                { value: '1.3', label: 'TLS 1.3' },
              ]}
            />
            <SelectField
              path="tls.client_auth_ca_id"
              label="Client certificates"
              isNullable
              options={[{ value: '', label: 'Not required' }, ...authorities]}
            />
          </div>
          <SwitchField path="force_https" label="Redirect HTTP to HTTPS" />
          <HstsFields />
        </>
      )}
    </>
  )
}

function HstsFields() {
  const { draft } = useEditing()
  return (
    <>
      <PartSwitch
        path="hsts"
        blank={blankHsts}
        label="HSTS"
        description="Browsers remember to come by HTTPS only; hard to take back before the time is over."
      />
      {draft.hsts !== null && (
        <div className="field-inset">
          <NumberField path="hsts.max_age" label="Seconds to remember" min={0} max={63_072_000} />
          <SwitchField path="hsts.subdomains" label="Also for all names below" />
          <SwitchField path="hsts.preload" label="Allow preload lists" />
        </div>
      )}
    </>
  )
}
