import { Button, Group, Stack, Textarea, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { answer, ConfirmDelete, describeError, FormDialog } from '@hearth/ui'
import { useMutation } from '@tanstack/react-query'
import { api, type DnsZone, keys } from '../../api.ts'
import { serversIn, toZone, type ZoneValues, zoneValues } from './zone-values.ts'

/** Queries to read again after a zone changed. */
export const zoneRenewals = [keys.dnsZones, keys.explanation]

const maxServers = 4

const validate = {
  zone: (text: string) => (text.trim() === '' ? 'Enter a domain or a network' : null),
  servers(text: string) {
    const { length } = serversIn(text)
    if (length === 0) return 'Enter a server'
    return length > maxServers ? `A zone has at most ${maxServers} servers` : null
  },
}

/** Adds a zone, or changes one. */
export function ZoneForm({ zone, onClose }: { zone?: DnsZone; onClose: () => void }) {
  const form = useForm<ZoneValues>({ initialValues: zoneValues(zone), validate })
  const submit = (values: ZoneValues) =>
    zone === undefined
      ? answer(api.POST('/api/dns/zones', { body: toZone(values) }))
      : answer(api.PUT('/api/dns/zones/{id}', { params: { path: { id: zone.id } }, body: toZone(values) }))
  const isName = { autoCapitalize: 'none', spellCheck: false }
  const error = form.errors['servers'] ?? serverError(form.errors)
  return (
    <FormDialog
      opened
      onClose={onClose}
      title={zone === undefined ? 'Add zone' : 'Edit zone'}
      submitLabel={zone === undefined ? 'Add zone' : 'Save'}
      form={form}
      submit={submit}
      renew={zoneRenewals}
    >
      <TextInput
        label="Zone"
        description="A domain with everything below it, or a network for reverse look-ups, such as 192.168.0.0/16"
        placeholder="corp.example"
        required
        data-autofocus
        {...isName}
        {...form.getInputProps('zone')}
      />
      <Textarea
        label="Servers"
        description="One per line, the preferred one first; the next is asked when one does not answer. udp://10.0.0.53, tls://10.0.0.53#dns.corp.example, https://dns.corp.example/dns-query#10.0.0.53"
        placeholder="udp://10.0.0.53"
        required
        autosize
        minRows={2}
        maxRows={6}
        className="zone-servers-field"
        {...isName}
        {...form.getInputProps('servers')}
        error={error}
      />
      <ServerTest values={form.getValues()} />
    </FormDialog>
  )
}

/** The message about one of the servers, which have one field together. */
const serverError = (errors: Readonly<Record<string, React.ReactNode>>): React.ReactNode =>
  Object.entries(errors).find(([path]) => path.startsWith('servers.'))?.[1]

function ServerTest({ values }: { values: ZoneValues }) {
  const check = useMutation({
    mutationFn: async (body: ReturnType<typeof toZone>) =>
      (await answer(api.POST('/api/dns/zones/test', { body }))).data.servers,
  })
  const body = toZone(values)
  const isKnown = JSON.stringify(check.variables) === JSON.stringify(body)
  const canTest = validate.zone(values.zone) === null && validate.servers(values.servers) === null
  return (
    <Stack gap="xs">
      <Group>
        <Button variant="default" disabled={!canTest} loading={check.isPending} onClick={() => check.mutate(body)}>
          Test these servers
        </Button>
      </Group>
      <output className="zone-test">
        {isKnown && check.error !== null && <p data-tone="bad">{describeError(check.error)}</p>}
        {isKnown &&
          check.data?.map(({ server, ok, milliseconds, error }) => (
            <p key={server} data-tone={ok ? 'good' : 'bad'}>
              <span className="hearth-mono wrap-anywhere">{server}</span>{' '}
              {ok ? `answers, in ${Math.round(milliseconds ?? 0)} ms` : `does not answer: ${error ?? 'no answer'}`}
            </p>
          ))}
      </output>
    </Stack>
  )
}

/** Dialog that confirms the deletion of a zone. */
export function DeleteZone({ zone, onClose }: { zone: DnsZone; onClose: () => void }) {
  return (
    <ConfirmDelete
      opened
      onClose={onClose}
      title={`Delete the zone ${zone.zone}?`}
      verb="Delete zone"
      losses={[`Names in ${zone.zone} are sent to the upstream servers for all names`]}
      action={{
        run: () => answer(api.DELETE('/api/dns/zones/{id}', { params: { path: { id: zone.id } } })),
        renew: zoneRenewals,
      }}
    />
  )
}
