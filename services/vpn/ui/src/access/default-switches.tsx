import { Alert, Button, Group, Modal, Stack, Switch, Text } from '@mantine/core'
import { answer, QueryState, Section, useAction, useSession } from '@hearth/ui'
import { IconAlertTriangle } from '@tabler/icons-react'
import { useState } from 'react'
import { type AccessDefault, api } from '../api.ts'
import { accessRenewals, useDefaults } from './access-queries.ts'

/** Says, and switches, what happens to what no rule matches, for each interface. */
export function DefaultSwitches() {
  const defaults = useDefaults()
  const [asked, setAsked] = useState<string>()
  return (
    <Section title="Without a matching rule">
      <QueryState query={defaults} lines={2} />
      {defaults.data?.length === 0 && <Text c="dimmed">There is no interface yet.</Text>}
      <Stack gap="sm">
        {defaults.data?.map((each) => (
          <DefaultSwitch key={each.interface} of={each} onClose={() => setAsked(each.interface)} />
        ))}
      </Stack>
      {defaults.data?.some(({ action }) => action === 'deny') === true && (
        <Text c="dimmed" size="sm" mt="sm">
          Always allowed: ping and DNS at the gateway, and DNS at the resolvers in the devices’ configurations. The
          gateway’s other services stay open unless a rule denies them.
        </Text>
      )}
      {asked !== undefined && <DenyWarning name={asked} onClose={() => setAsked(undefined)} />}
    </Section>
  )
}

function useSetDefault(onDone: () => void) {
  return useAction<AccessDefault, { message: string }>({
    run: ({ interface: name, action }) =>
      answer(api.PUT('/api/access/defaults/{name}', { params: { path: { name } }, body: { action } })),
    renew: accessRenewals,
    onDone,
  })
}

/** A switch that asks before it denies; allowing needs no question. */
function DefaultSwitch({ of, onClose }: { of: AccessDefault; onClose: () => void }) {
  const { isAdmin } = useSession()
  const set = useSetDefault(() => undefined)
  const isDenied = of.action === 'deny'
  return (
    <Switch
      label={`${of.interface}: deny what no rule allows`}
      description={
        isDenied
          ? 'Devices reach only what a rule allows, and the gateway.'
          : 'Devices reach each other, the internet and your networks unless a rule denies it.'
      }
      checked={isDenied}
      disabled={!isAdmin || set.isPending}
      onChange={() => (isDenied ? set.mutate({ interface: of.interface, action: 'allow' }) : onClose())}
    />
  )
}

function DenyWarning({ name, onClose }: { name: string; onClose: () => void }) {
  const set = useSetDefault(onClose)
  return (
    <Modal opened onClose={onClose} title={`Deny what no rule allows on ${name}?`}>
      <Stack>
        <Alert color="orange" icon={<IconAlertTriangle size={18} aria-hidden />}>
          <p className="access-warning">
            Devices on {name} lose the internet, each other and your networks at once, open connections too, except for
            what a rule above allows. Make the rules first.
          </p>
        </Alert>
        <Text size="sm">
          Ping and DNS at the gateway, DNS at the resolvers in their configurations and the gateway’s own services, this
          page too, stay reachable.
        </Text>
        <Group justify="flex-end" className="hearth-dialog-actions">
          <Button variant="default" data-autofocus onClick={onClose}>
            Keep allowing
          </Button>
          <Button color="red" loading={set.isPending} onClick={() => set.mutate({ interface: name, action: 'deny' })}>
            Deny
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}
