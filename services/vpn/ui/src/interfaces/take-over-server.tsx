import { Button, Checkbox, Group, List, Modal, Stack, Text, TextInput, Title } from '@mantine/core'
import { answer, type Column, DataTable, describeError, formatCount, Problem, StatusBadge, useAction } from '@hearth/ui'
import { useState } from 'react'
import type { components } from '../api.gen.ts'
import { api, keys } from '../api.ts'
import { staleAfterPeers } from '../peers/bulk-actions.ts'
import { LeftOut } from '../files/left-out.tsx'
import { FileChoice } from '../files/file-choice.tsx'
import { encodeFile } from '../files/encode-file.ts'

type Schemas = components['schemas']
type ImportBody = Schemas['ServerImport']
type Report = Schemas['ServerImportReport']
type Server = Schemas['ImportedServer']
type ServerPeer = Schemas['ImportedServerPeer']

/** Takes over a WireGuard server of another program: choose its files, see what comes along, create all of it. */
export function TakeOverServer({ onClose }: { onClose: () => void }) {
  const [checked, setChecked] = useState<{ body: ImportBody; report: Report }>()
  return (
    <Modal opened onClose={onClose} title="Take over a server" size="xl" closeOnClickOutside={false}>
      {checked === undefined ? (
        <ChooseFiles onChecked={(body, report) => setChecked({ body, report })} />
      ) : (
        <Preview {...checked} onChecked={setChecked} onBack={() => setChecked(undefined)} onClose={onClose} />
      )}
    </Modal>
  )
}

const send = (body: ImportBody) => answer(api.POST('/api/server-import', { body }))

const check = async (body: ImportBody) => ({ body, report: (await send({ ...body, dry_run: true })).data })

function ChooseFiles({ onChecked }: { onChecked: (body: ImportBody, report: Report) => void }) {
  const [files, setFiles] = useState<File[]>([])
  const [start, setStart] = useState(true)
  const [problem, setProblem] = useState<string>()
  const checking = useAction({
    run: async () => check({ files: await Promise.all(files.map(encodeFile)), names: {}, start, dry_run: false }),
    onDone: ({ body, report }) => onChecked(body, report),
    onProblem: (error) => setProblem(describeError(error)),
  })
  return (
    <Stack>
      <Problem text={problem} />
      <Text size="sm">
        Interfaces and peers keep their keys and addresses, so that no device has to change. You see everything before
        it is created.
      </Text>
      <List size="sm" spacing={4}>
        <List.Item>
          <b>wg-easy</b>: <code>wg0.json</code>, or <code>wg-easy.db</code> from version 15 on; stop it first
        </List.Item>
        <List.Item>
          <b>WGDashboard</b>: <code>wgdashboard.db</code> with <code>wg0.conf</code>
        </List.Item>
        <List.Item>
          <b>PiVPN, wg-quick</b>: <code>wg0.conf</code>, with the files of the devices where you have them
        </List.Item>
      </List>
      <FileChoice label="Files" placeholder="Choose files" accept=".conf,.json,.db" value={files} onChange={setFiles} />
      <Checkbox
        label="Start the interfaces at once"
        description="A tunnel of wg-quick that runs on this host goes on without an interruption"
        checked={start}
        onChange={(event) => setStart(event.currentTarget.checked)}
      />
      <Group justify="flex-end" className="hearth-dialog-actions">
        <Button disabled={files.length === 0} loading={checking.isPending} onClick={() => checking.mutate()}>
          Check files
        </Button>
      </Group>
    </Stack>
  )
}

interface PreviewProps {
  body: ImportBody
  report: Report
  onChecked: (checked: { body: ImportBody; report: Report }) => void
  onBack: () => void
  onClose: () => void
}

function Preview({ body, report, onChecked, onBack, onClose }: PreviewProps) {
  const [names, setNames] = useState(Object.fromEntries(report.interfaces.map((on) => [on.found_as, on.name])))
  const [problem, setProblem] = useState<string>()
  const onProblem = (error: unknown) => setProblem(error instanceof Error ? error.message : describeError(error))
  const isRenamed = report.interfaces.some((on) => names[on.found_as] !== on.name)
  const again = useAction({ run: () => check({ ...body, names }), onDone: onChecked, onProblem })
  const create = useAction({
    run: () => send(body),
    renew: [...staleAfterPeers, keys.interfaces],
    onDone: onClose,
    onProblem,
  })
  const count = report.interfaces.reduce((sum, { peers }) => sum + peers.length, 0)
  return (
    <Stack>
      <Problem text={problem} />
      <Text>
        {report.problems === 0
          ? `${formatCount(report.interfaces.length, 'interface')} with ${formatCount(count, 'peer')} can be taken over.`
          : `${formatCount(report.problems, 'problem')} in the way. Nothing is created until there is none.`}
      </Text>
      {report.interfaces.map((on) => (
        <FoundServer
          key={on.found_as}
          server={on}
          name={names[on.found_as] ?? on.name}
          onName={(name) => setNames({ ...names, [on.found_as]: name })}
        />
      ))}
      <LeftOut entries={report.left_out} />
      <Group justify="flex-end" className="hearth-dialog-actions">
        <Button variant="default" onClick={onBack}>
          Choose other files
        </Button>
        {isRenamed ? (
          <Button loading={again.isPending} onClick={() => again.mutate()}>
            Check again
          </Button>
        ) : (
          <Button disabled={report.problems > 0} loading={create.isPending} onClick={() => create.mutate()}>
            Take over {formatCount(count, 'peer')}
          </Button>
        )}
      </Group>
    </Stack>
  )
}

/** Peers that the preview shows of each interface; those with problems come first. */
const peersShown = 50

interface FoundServerProps {
  server: Server
  name: string
  onName: (name: string) => void
}

function FoundServer({ server, name, onName }: FoundServerProps) {
  const peers = server.peers.toSorted((a, b) => b.problems.length - a.problems.length)
  return (
    <Stack gap="xs">
      <Group gap="xs">
        <Title order={3} size="h5">
          {server.found_as}
        </Title>
        <Text size="sm" c="dimmed">
          of {server.source}
        </Text>
        {server.is_running && <StatusBadge tone="good">Runs on this host</StatusBadge>}
      </Group>
      <Text size="sm" c="dimmed">
        {[server.address, server.address6].filter((address) => address !== null).join(', ')}
        {server.listen_port !== null && `, UDP port ${server.listen_port}`}
        {!server.enabled && ', stays stopped'}
      </Text>
      <TextInput
        label={`Name of ${server.found_as} here`}
        value={name}
        onChange={(event) => onName(event.currentTarget.value)}
        error={server.problems.length === 0 ? undefined : server.problems.map(({ message }) => message).join('. ')}
      />
      <DataTable
        label={`Peers of ${server.found_as}`}
        columns={columns}
        rowKey={(peer) => peer.public_key}
        answer={{ rows: peers.slice(0, peersShown), total: peers.length, error: null, retry: () => undefined }}
        empty={<Text size="sm">No peers</Text>}
      />
      {peers.length > peersShown && (
        <Text c="dimmed" size="sm">
          And {formatCount(peers.length - peersShown, 'more peer')}.
        </Text>
      )}
    </Stack>
  )
}

const columns: Column<ServerPeer>[] = [
  {
    key: 'name',
    header: 'Name',
    role: 'title',
    render: ({ name }) => <span className="hearth-name import-name">{name}</span>,
  },
  { key: 'ip', header: 'Address', render: ({ ip }) => <span className="hearth-mono">{ip ?? '–'}</span> },
  {
    key: 'key',
    header: 'Configuration',
    render: (peer) => (peer.has_private_key ? 'can be shown again' : 'stays on the device'),
  },
  {
    key: 'problems',
    header: 'Check',
    render: ({ problems, enabled }) =>
      problems.length === 0 ? (
        <StatusBadge tone={enabled ? 'good' : 'quiet'}>{enabled ? 'OK' : 'Disabled'}</StatusBadge>
      ) : (
        problems.map(({ field, message }) => (
          <Text key={`${field} ${message}`} size="sm" c="var(--hearth-bad)">
            {field}: {message}
          </Text>
        ))
      ),
  },
]
