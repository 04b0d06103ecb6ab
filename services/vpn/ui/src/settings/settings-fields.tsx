import { Checkbox, NativeSelect, NumberInput, Stack, TextInput } from '@mantine/core'
import { LoadingLines, Section } from '@hearth/ui'
import type { UseFormReturnType } from '@mantine/form'
import { EndpointField, usePublicEndpoint } from '../endpoint/endpoint-field.tsx'
import { routingModes } from '../peers/routing-modes.ts'
import type { SettingsValues } from './settings-values.ts'

type SettingsForm = UseFormReturnType<SettingsValues>

/** By which host devices reach this server. */
export function DeviceFields({ form }: { form: SettingsForm }) {
  const endpoint = usePublicEndpoint()
  return (
    <Section title="How devices reach this server">
      {endpoint.data === undefined ? (
        <LoadingLines lines={2} />
      ) : (
        <EndpointField
          input={form.getInputProps('public_endpoint')}
          value={form.getValues().public_endpoint}
          known={endpoint.data}
          onChoose={(host) => form.setFieldValue('public_endpoint', host)}
        />
      )}
    </Section>
  )
}

/** What new interfaces and peers begin with. */
export function NewPeerFields({ form }: { form: SettingsForm }) {
  const modes = (['full_tunnel', 'split_tunnel', 'isolated'] as const).map((value) => ({
    value,
    label: routingModes[value].label,
  }))
  return (
    <Section title="Defaults for new interfaces and peers">
      <Stack>
        <NativeSelect
          label="What goes through the tunnel"
          description={routingModes[form.getValues().default_routing_mode].explanation}
          data={modes}
          {...form.getInputProps('default_routing_mode')}
        />
        <TextInput
          label="DNS servers"
          description="Empty for the filter of this service; or up to four addresses, separated by commas"
          {...form.getInputProps('default_dns')}
        />
        <NumberInput
          label="MTU"
          description="Largest packet in the tunnel, 1280 to 9000 bytes"
          suffix=" bytes"
          clampBehavior="none"
          {...form.getInputProps('default_mtu')}
        />
        <NumberInput
          label="Keepalive"
          description="Seconds between signs of life; 0 is off"
          suffix=" s"
          clampBehavior="none"
          {...form.getInputProps('default_persistent_keepalive')}
        />
      </Stack>
    </Section>
  )
}

/** How often is measured, and how long sessions last. */
export function AccessFields({ form }: { form: SettingsForm }) {
  return (
    <Section title="Measuring and sessions">
      <Stack>
        <NumberInput
          label="Sample interval"
          description="How often handshakes and counters are read, 1 to 300 seconds"
          suffix=" s"
          clampBehavior="none"
          {...form.getInputProps('sample_interval_seconds')}
        />
        <NumberInput
          label="Session timeout"
          description="A session unused for this long ends, 5 to 10080 minutes"
          suffix=" min"
          clampBehavior="none"
          {...form.getInputProps('session_timeout_minutes')}
        />
      </Stack>
    </Section>
  )
}

/** How long traffic is remembered, and what tells countries and networks. */
export function MetricsFields({ form }: { form: SettingsForm }) {
  return (
    <Section title="Traffic, countries and networks">
      <Stack>
        <NumberInput
          label="Traffic is kept for"
          description="Older figures are deleted; 0 keeps daily ones for ever and hourly ones for a year"
          suffix=" days"
          clampBehavior="none"
          {...form.getInputProps('metrics_retention_days')}
        />
        <TextInput
          label="Country database"
          description="Where a country or city database (.mmdb or .mmdb.gz) is downloaded from every week; empty for nowhere. A file named by GEOIP_COUNTRY_DB wins."
          placeholder="https://example.com/country.mmdb.gz"
          type="url"
          spellCheck={false}
          {...form.getInputProps('geoip_country_url')}
        />
        <TextInput
          label="Network database"
          description="The same for networks (ASN); a file named by GEOIP_ASN_DB wins."
          placeholder="https://example.com/asn.mmdb.gz"
          type="url"
          spellCheck={false}
          {...form.getInputProps('geoip_asn_url')}
        />
        <Checkbox
          label="Count where traffic goes"
          description="By the kernel’s table of connections; it needs net.netfilter.nf_conntrack_acct=1"
          {...form.getInputProps('destination_metrics_enabled', { type: 'checkbox' })}
        />
      </Stack>
    </Section>
  )
}
