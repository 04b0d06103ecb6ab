import { answer, QueryState, SettingsForm, describeError, Section } from '@hearth/ui'
import { useForm, type UseFormReturnType } from '@mantine/form'
import { useQuery, useMutation } from '@tanstack/react-query'
import { api, type DnsSettings, keys, readDnsSettings } from '../api.ts'
import { DnsFrame } from '../dns/dns-frame.tsx'
import { dnsSettingsSections } from '../dns/settings/dns-settings-sections.ts'
import { changedDnsSettings, dnsSettingsValues, type DnsSettingsValues } from '../dns/settings/dns-settings-values.ts'
import { PrivateDnsState } from '../dns/private-dns-state.tsx'
import { ActionIcon, Button, Group, Input, Menu, TextInput } from '@mantine/core'
import { IconPlus, IconTrash } from '@tabler/icons-react'

/** DNS settings page; administrators only. */
export function DnsSettingsPage() {
  const settings = useQuery({ queryKey: keys.dnsSettings, queryFn: readDnsSettings })
  return (
    <DnsFrame>
      <QueryState query={settings} lines={8} />
      {settings.data !== undefined && <Form key={formKey(settings.data)} settings={settings.data} />}
      <div className="settings-form private-dns-state">
        <PrivateDnsState />
      </div>
    </DnsFrame>
  )
}

/** A pause someone else begins must not delete what is typed here. */
const formKey = ({ blocking_paused_until: _paused, ...settings }: DnsSettings): string => JSON.stringify(settings)

function Form({ settings }: { settings: DnsSettings }) {
  const form = useForm<DnsSettingsValues>({ initialValues: dnsSettingsValues(settings) })
  const changes = changedDnsSettings(form.getValues(), settings)
  return (
    <SettingsForm
      form={form}
      changes={changes}
      save={() => answer(api.PUT('/api/dns/settings', { body: changes }))}
      renew={[keys.dnsSettings, keys.dnsStatus]}
      sections={dnsSettingsSections}
    >
      <UpstreamFields form={form} settings={settings} />
    </SettingsForm>
  )
}

/** The service takes no more. */
const maxServers = 8

/** Fields of the upstream servers, each with a test. */
function UpstreamFields({ form, settings }: { form: UseFormReturnType<DnsSettingsValues>; settings: DnsSettings }) {
  const { upstreams } = form.getValues()
  const isFixed = settings.effective_upstreams.join(' ') !== settings.upstreams.join(' ')
  const add = (upstream: string) => form.setFieldValue('upstreams', [...upstreams, upstream])
  return (
    <Section title="Upstream servers">
      <Input.Wrapper
        labelElement="div"
        descriptionProps={{ mb: 'xs' }}
        description="tls:// and https:// keep others on the way from reading along. Write tls://9.9.9.9#dns.quad9.net, https://dns.quad9.net/dns-query#9.9.9.9, or udp://192.168.1.1"
        error={form.errors['upstreams']}
      >
        <ul className="upstream-rows">
          {upstreams.map((upstream, place) => (
            <UpstreamRow
              // oxlint-disable-next-line react/no-array-index-key -- rows have nothing else that stays
              key={place}
              number={place + 1}
              value={upstream}
              onChange={(value) =>
                form.setFieldValue(
                  'upstreams',
                  upstreams.map((other, index) => (index === place ? value : other)),
                )
              }
              onRemove={
                upstreams.length > 1 ? () => form.setFieldValue('upstreams', upstreams.toSpliced(place, 1)) : undefined
              }
            />
          ))}
        </ul>
      </Input.Wrapper>
      {isFixed && (
        <p className="hearth-dimmed">
          DNS_UPSTREAMS is set and wins over these: {settings.effective_upstreams.join(', ')}
        </p>
      )}
      {upstreams.length < maxServers && <AddServer onAdd={add} />}
    </Section>
  )
}

function AddServer({ onAdd }: { onAdd: (upstream: string) => void }) {
  return (
    <Menu position="bottom-start">
      <Menu.Target>
        <Button variant="default" size="xs" mt="sm" leftSection={<IconPlus size={14} aria-hidden />}>
          Add server
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {knownServers.map(({ name, about, upstream }) => (
          <Menu.Item key={upstream} onClick={() => onAdd(upstream)}>
            {name}, <span className="hearth-dimmed">{about}</span>
          </Menu.Item>
        ))}
        <Menu.Divider />
        <Menu.Item onClick={() => onAdd('')}>Another one</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}

function UpstreamRow(props: {
  number: number
  value: string
  onChange: (value: string) => void
  onRemove: (() => void) | undefined
}) {
  const { number, value, onChange, onRemove } = props
  const check = useMutation({
    mutationFn: async () =>
      (await answer(api.POST('/api/dns/upstreams/test', { body: { upstream: value.trim() } }))).data,
  })
  const result = outcome(check)
  return (
    <li>
      <TextInput
        aria-label={`Server ${number}`}
        className="domain-field"
        value={value}
        spellCheck={false}
        autoCapitalize="none"
        maxLength={400}
        onChange={(event) => {
          check.reset()
          onChange(event.currentTarget.value)
        }}
      />
      <Group gap={6} wrap="nowrap">
        <Button
          variant="default"
          loading={check.isPending}
          disabled={value.trim().length < 3}
          onClick={() => check.mutate()}
          aria-label={`Test server ${number}`}
        >
          Test
        </Button>
        <ActionIcon
          variant="default"
          size={36}
          aria-label={`Remove server ${number}`}
          disabled={onRemove === undefined}
          onClick={onRemove}
        >
          <IconTrash size={16} aria-hidden />
        </ActionIcon>
      </Group>
      <output className="upstream-outcome" data-tone={result?.tone}>
        {result?.text}
      </output>
    </li>
  )
}

function outcome(check: {
  data: { ok: boolean; milliseconds: number | null; error: string | null } | undefined
  error: unknown
}): { tone: 'good' | 'bad'; text: string } | undefined {
  if (check.error !== null) return { tone: 'bad', text: describeError(check.error) }
  if (check.data === undefined) return undefined
  if (!check.data.ok) return { tone: 'bad', text: `No: ${check.data.error ?? 'it did not answer'}` }
  return { tone: 'good', text: `It answers, in ${Math.round(check.data.milliseconds ?? 0)} ms` }
}

/** Public resolvers that can be chosen with a click; addresses are those their operators publish. */
const knownServers: readonly { readonly name: string; readonly about: string; readonly upstream: string }[] = [
  { name: 'Quad9', about: 'blocks malware', upstream: 'tls://9.9.9.9#dns.quad9.net' },
  { name: 'Cloudflare', about: 'blocks nothing', upstream: 'tls://1.1.1.1#cloudflare-dns.com' },
  { name: 'Google', about: 'blocks nothing', upstream: 'tls://8.8.8.8#dns.google' },
  { name: 'Mullvad', about: 'blocks nothing', upstream: 'tls://194.242.2.2#dns.mullvad.net' },
  { name: 'Quad9', about: 'over HTTPS', upstream: 'https://dns.quad9.net/dns-query#9.9.9.9' },
]
