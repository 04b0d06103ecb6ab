import { Checkbox, NativeSelect, NumberInput, Stack, Switch, Textarea, TextInput } from '@mantine/core'
import { Section } from '@hearth/ui'
import type { UseFormReturnType } from '@mantine/form'
import type { DnsSettings } from '../../api.ts'
import type { DnsSettingsValues } from './dns-settings-values.ts'

type SettingsForm = UseFormReturnType<DnsSettingsValues>

const blockModes: Record<DnsSettings['block_mode'], { label: string; explanation: string }> = {
  zero_ip: {
    label: 'With no address (0.0.0.0 and ::)',
    explanation: 'Programs give up at once. The best choice for nearly everybody.',
  },
  nxdomain: { label: 'No such name', explanation: 'As if the name did not exist.' },
  refused: { label: 'Refused', explanation: 'Some devices then ask another resolver, past this filter.' },
  custom_ip: {
    label: 'With addresses of your own',
    explanation: 'Such as those of a page that says what was blocked.',
  },
}

/** Whether names are filtered, and what a blocked one is answered with. */
export function BlockingFields({ form }: { form: SettingsForm }) {
  const mode = form.getValues().block_mode
  const modes = Object.entries(blockModes).map(([value, { label }]) => ({ value, label }))
  return (
    <Section title="Blocking">
      <Stack>
        <Switch
          label="Filter names"
          description="Off, every name is answered, for everybody"
          {...form.getInputProps('blocking_enabled', { type: 'checkbox' })}
        />
        <NativeSelect
          label="How a blocked name is answered"
          description={blockModes[mode].explanation}
          data={modes}
          {...form.getInputProps('block_mode')}
        />
        {mode === 'custom_ip' && (
          <>
            <TextInput label="IPv4 address" placeholder="10.8.0.1" {...form.getInputProps('custom_ipv4')} />
            <TextInput label="IPv6 address" placeholder="fd08::1" {...form.getInputProps('custom_ipv6')} />
          </>
        )}
        <NumberInput
          label="Remembered by devices for"
          description="How long a device may remember that a name is blocked; short times make a change felt sooner"
          suffix=" s"
          clampBehavior="none"
          {...form.getInputProps('block_ttl')}
        />
        <NumberInput
          label="Lists are downloaded again every"
          description="0: by hand only"
          suffix=" h"
          clampBehavior="none"
          {...form.getInputProps('blocklists_update_interval_hours')}
        />
      </Stack>
    </Section>
  )
}

/** What is kept, and for how long. */
export function CacheFields({ form }: { form: SettingsForm }) {
  return (
    <Section title="Cache">
      <Stack>
        <NumberInput
          label="Answers kept"
          description="0 keeps none; up to 200,000"
          thousandSeparator=","
          clampBehavior="none"
          {...form.getInputProps('cache_size')}
        />
        <NumberInput
          label="Kept at least"
          description="Longer than the answer says, so that names are asked for less often; 0 keeps to the answer"
          suffix=" s"
          clampBehavior="none"
          {...form.getInputProps('cache_min_ttl')}
        />
        <NumberInput
          label="Kept at most"
          thousandSeparator=","
          suffix=" s"
          clampBehavior="none"
          {...form.getInputProps('cache_max_ttl')}
        />
        <Checkbox
          label="Answer from outdated entries when no server answers"
          description="Names keep working for a while when the internet does not"
          {...form.getInputProps('serve_stale', { type: 'checkbox' })}
        />
      </Stack>
    </Section>
  )
}

/** What is written down of who asked what. */
export function PrivacyFields({ form }: { form: SettingsForm }) {
  return (
    <Section title="Log and privacy">
      <Stack>
        <NativeSelect
          label="Write down"
          description="Single peers can be left out in their own settings"
          data={[
            { value: 'all', label: 'Every query' },
            { value: 'blocked', label: 'Blocked queries only' },
            { value: 'none', label: 'Nothing' },
          ]}
          {...form.getInputProps('query_log')}
        />
        <Checkbox
          label="Without who asked"
          description="The log then knows names, but no peers"
          {...form.getInputProps('anonymize_clients', { type: 'checkbox' })}
        />
        <NumberInput
          label="Kept for"
          description="Older queries are deleted; up to 365 days"
          suffix=" days"
          clampBehavior="none"
          {...form.getInputProps('log_retention_days')}
        />
      </Stack>
    </Section>
  )
}

/** What keeps the resolver and those behind it from harm. */
export function ProtectionFields({ form }: { form: SettingsForm }) {
  const isBlocking = form.getValues().block_private_answers
  return (
    <Section title="Protection">
      <Stack>
        <Checkbox
          label="Ask for validated answers (DNSSEC)"
          description="The servers check signatures, and devices learn that they did"
          {...form.getInputProps('dnssec', { type: 'checkbox' })}
        />
        <Checkbox
          label="Block public names that lead into private networks"
          description="Keeps web pages from reaching into the home network (DNS rebinding). Local names, names you allow by a rule, router pages and services such as plex.direct are not affected."
          {...form.getInputProps('block_private_answers', { type: 'checkbox' })}
        />
        {isBlocking && (
          <Textarea
            label="Domains that may have private addresses"
            description="They and everything below them, one per line"
            autosize
            minRows={2}
            spellCheck={false}
            {...form.getInputProps('private_answers_allowed')}
          />
        )}
        <Textarea
          label="Forwarded local zones"
          description="Names of the local network (.local, .test, home.arpa, reverse names of private addresses) are not sent to the upstreams. List here the zones that your upstream knows, one per line; their answers may be private."
          placeholder={'home.arpa\n168.192.in-addr.arpa'}
          autosize
          minRows={2}
          spellCheck={false}
          {...form.getInputProps('forwarded_zones')}
        />
        <NumberInput
          label="Queries a second and peer"
          description="More are not answered; 0 for no limit"
          thousandSeparator=","
          clampBehavior="none"
          {...form.getInputProps('client_rate_limit')}
        />
      </Stack>
    </Section>
  )
}
