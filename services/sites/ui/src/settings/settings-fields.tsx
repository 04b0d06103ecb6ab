import { NativeSelect, Stack, Switch, Textarea, TextInput } from '@mantine/core'
import { Section } from '@hearth/ui'
import type { UseFormReturnType } from '@mantine/form'
import type { SettingsValues } from './settings-values.ts'

interface Fields {
  form: UseFormReturnType<SettingsValues>
}

/** Settings for certificates. */
export function CertificateFields({ form }: Fields) {
  return (
    <Section title="Certificates">
      <Stack>
        <TextInput
          label="E-mail for certificates"
          description="The certificate authority writes here when something is wrong with one. May be empty."
          type="email"
          placeholder="you@example.org"
          {...form.getInputProps('acme_email')}
        />
        <TextInput
          label="Certificate authority"
          description="Address of its ACME directory. Empty for Let’s Encrypt."
          type="url"
          placeholder="https://acme-v02.api.letsencrypt.org/directory"
          {...form.getInputProps('acme_ca')}
        />
      </Stack>
    </Section>
  )
}

/** Settings for answers without a site and in maintenance. */
export function VisitorFields({ form }: Fields) {
  return (
    <Section title="What visitors see">
      <Stack>
        <NativeSelect
          label="For a host that no site has"
          description="What anybody gets who calls this server by a name that is not set up here"
          data={[
            { value: '404', label: 'Answer “404 Not Found”' },
            { value: 'abort', label: 'Close the connection without an answer' },
          ]}
          {...form.getInputProps('default_response')}
        />
        <Textarea
          label="For a site in maintenance"
          description="Plain text. A site can have a text of its own."
          autosize
          minRows={3}
          maxRows={10}
          {...form.getInputProps('maintenance_page')}
        />
      </Stack>
    </Section>
  )
}

/** Settings for changes of sites. */
export function ApplyFields({ form }: Fields) {
  return (
    <Section title="Changing sites">
      <Stack>
        <Switch
          label="Ask each changed site once after it was applied"
          description="When the new configuration does not answer, the one before comes back by itself"
          {...form.getInputProps('site_probe', { type: 'checkbox' })}
        />
        <Switch
          label="Directives of your own"
          description="Administrators may give a site pieces of a Caddyfile. They can do what the form refuses, so this is off."
          {...form.getInputProps('allow_raw', { type: 'checkbox' })}
        />
      </Stack>
    </Section>
  )
}

const retention = [
  { value: '0', label: 'For ever' },
  { value: '7', label: '7 days' },
  { value: '14', label: '14 days' },
  { value: '30', label: '30 days' },
  { value: '90', label: '90 days' },
  { value: '180', label: '180 days' },
  { value: '365', label: 'A year' },
]

/** Settings for the grades of TLS. */
export function GradeFields({ form }: Fields) {
  const { value, onChange, ...days } = form.getInputProps('grade_retention_days') as {
    value: number
    onChange: (days: number) => void
  }
  return (
    <Section title="Grades of TLS">
      <Stack>
        <NativeSelect
          label="Who grades"
          description="The service grades by itself and tells nobody. SSL Labs learns the names of your sites, and reaches public ones only."
          data={[
            { value: 'local', label: 'This service' },
            { value: 'ssllabs', label: 'SSL Labs' },
          ]}
          {...form.getInputProps('grade_source')}
        />
        <NativeSelect
          label="How often"
          data={[
            { value: 'daily', label: 'Every day' },
            { value: 'weekly', label: 'Every week' },
            { value: 'off', label: 'Only on request' },
          ]}
          {...form.getInputProps('grade_schedule')}
        />
        <NativeSelect
          label="Keep grades"
          data={retention}
          {...days}
          value={String(value)}
          onChange={(event) => onChange(Number(event.currentTarget.value))}
        />
      </Stack>
    </Section>
  )
}
