import { ActionIcon, Button, Group, Input, Menu, TextInput } from '@mantine/core'
import { answer, describeError, Section } from '@hearth/ui'
import type { UseFormReturnType } from '@mantine/form'
import { IconPlus, IconTrash } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { api, type DnsSettings } from '../../api.ts'
import type { DnsSettingsValues } from './dns-settings-values.ts'
import { knownServers } from './known-servers.ts'

type SettingsForm = UseFormReturnType<DnsSettingsValues>

/** The service takes no more. */
const mostServers = 8

/** Whom the resolver asks, each with a test before it is saved. */
export function UpstreamFields({ form, settings }: { form: SettingsForm; settings: DnsSettings }) {
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
      {upstreams.length < mostServers && <AddServer onAdd={add} />}
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
  const told = outcome(check)
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
      <output className="upstream-outcome" data-tone={told?.tone}>
        {told?.text}
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
