import { Alert, Button, Checkbox, FileInput, Group, Modal, NativeSelect, Stack, Text } from '@mantine/core'
import {
  answer,
  type Column,
  DataTable,
  describeError,
  formatCount,
  Problem,
  RelativeTime,
  saveFile,
  StatusBadge,
  useAction,
} from '@hearth/ui'
import { IconDownload, IconEyeOff, IconFileTypeCsv } from '@tabler/icons-react'
import { useState } from 'react'
import type { components } from '../api.gen.ts'
import { api } from '../api.ts'
import { staleAfterPeers } from './bulk-actions.ts'
import { csvText, exampleCsv } from './csv-file.ts'

type Report = components['schemas']['PeerImportReport']
type ImportedPeer = Report['peers'][number]
type ImportBody = components['schemas']['PeerImport']

/** Creates peers from a file: choose it, see what each line makes, create all of them, and get their set-up links. */
export function ImportPeers({ interfaces, onClose }: { interfaces: string[]; onClose: () => void }) {
  const [checked, setChecked] = useState<{ body: ImportBody; report: Report }>()
  const [links, setLinks] = useState<ImportedPeer[]>()
  const finish = ({ peers }: Report) => {
    const withLinks = peers.filter((peer) => peer.setup_url !== null)
    if (withLinks.length === 0) onClose()
    else setLinks(withLinks)
  }
  return (
    <Modal opened onClose={onClose} title="Import peers" size="xl" closeOnClickOutside={false}>
      {links !== undefined ? (
        <NewLinks peers={links} onClose={onClose} />
      ) : checked === undefined ? (
        <ChooseFile interfaces={interfaces} onChecked={(body, report) => setChecked({ body, report })} />
      ) : (
        <Preview {...checked} onBack={() => setChecked(undefined)} onCreated={finish} />
      )}
    </Modal>
  )
}

const send = (body: ImportBody) => answer(api.POST('/api/peers/import', { body }))

function ChooseFile(props: { interfaces: string[]; onChecked: (body: ImportBody, report: Report) => void }) {
  const [file, setFile] = useState<File | null>(null)
  const [on, setOn] = useState(props.interfaces[0] ?? '')
  const [hasLinks, setLinks] = useState(true)
  const [problem, setProblem] = useState<string>()
  const check = useAction({
    run: async () => {
      const links = hasLinks ? { setup_links_hours: 168 } : {}
      const body = { csv: (await file?.text()) ?? '', interface: on, dry_run: false, ...links }
      return { body, report: (await send({ ...body, dry_run: true })).data }
    },
    onDone: ({ body, report }) => props.onChecked(body, report),
    onProblem: (error) => setProblem(describeError(error)),
  })
  return (
    <Stack>
      <Problem text={problem} />
      <Text size="sm">
        One peer per line, up to 1,000. The first line names the columns: <b>name</b>, and any of interface, tags,
        expires, ip, ipv6, routing_mode, allowed_ips, persistent_keepalive, public_key, limit_down, limit_up. Separate
        tags by semicolons.
      </Text>
      <FileInput
        label="CSV file"
        placeholder="Choose a file"
        accept=".csv,text/csv,text/plain"
        leftSection={<IconFileTypeCsv size={16} aria-hidden />}
        value={file}
        onChange={setFile}
      />
      <NativeSelect
        label="Interface"
        description="For lines that name none"
        data={props.interfaces}
        value={on}
        onChange={(event) => setOn(event.currentTarget.value)}
      />
      <Checkbox
        label="Make a set-up link for each peer"
        description="Works once, for 7 days; you get the list when the peers are created"
        checked={hasLinks}
        onChange={(event) => setLinks(event.currentTarget.checked)}
      />
      <Group justify="space-between" className="hearth-dialog-actions">
        <Button variant="subtle" onClick={() => saveFile('peers.csv', exampleCsv, 'text/csv')}>
          Save an example
        </Button>
        <Button disabled={file === null} loading={check.isPending} onClick={() => check.mutate()}>
          Check file
        </Button>
      </Group>
    </Stack>
  )
}

/** Lines that the preview shows; those with problems come first. */
const linesShown = 100

function Preview(props: { body: ImportBody; report: Report; onBack: () => void; onCreated: (report: Report) => void }) {
  const { body, report, onBack, onCreated } = props
  const [problem, setProblem] = useState<string>()
  const create = useAction({
    run: () => send(body),
    renew: staleAfterPeers,
    onDone: ({ data }) => onCreated(data),
    // Its sentence, not one for each of up to a thousand lines.
    onProblem: (error) => setProblem(error instanceof Error ? error.message : describeError(error)),
  })
  const lines = report.peers.toSorted((a, b) => Number(b.problems.length > 0) - Number(a.problems.length > 0))
  const count = report.peers.length
  return (
    <Stack>
      <Problem text={problem} />
      <Text>
        {report.faulty === 0
          ? `${formatCount(count, 'peer')} can be created.`
          : `${formatCount(report.faulty, 'line')} of ${count.toLocaleString('en')} cannot be used. Nothing is created until all can.`}
      </Text>
      <DataTable
        label="Lines of the file"
        columns={columns}
        rowKey={(peer) => String(peer.line)}
        answer={{ rows: lines.slice(0, linesShown), total: count, error: null, retry: () => undefined }}
        empty={null}
      />
      {count > linesShown && (
        <Text c="dimmed" size="sm">
          And {formatCount(count - linesShown, 'more line')}.
        </Text>
      )}
      <Group justify="flex-end" className="hearth-dialog-actions">
        <Button variant="default" onClick={onBack}>
          Choose another file
        </Button>
        <Button disabled={report.faulty > 0} loading={create.isPending} onClick={() => create.mutate()}>
          Create {formatCount(count, 'peer')}
        </Button>
      </Group>
    </Stack>
  )
}

const columns: Column<ImportedPeer>[] = [
  {
    key: 'name',
    header: 'Name',
    role: 'title',
    render: ({ name }) => <span className="hearth-name import-name">{name === '' ? '(no name)' : name}</span>,
  },
  { key: 'line', header: 'Line', numeric: true, render: ({ line }) => line },
  {
    key: 'ip',
    header: 'Address',
    render: ({ ip }) => <span className="hearth-mono">{ip ?? '–'}</span>,
  },
  { key: 'tags', header: 'Tags', render: ({ tags }) => tags.join(', ') },
  { key: 'expires', header: 'Expires', render: (peer) => <RelativeTime value={peer.expires_at} absent="no end" /> },
  {
    key: 'problems',
    header: 'Check',
    render: ({ problems }) =>
      problems.length === 0 ? (
        <StatusBadge tone="good">OK</StatusBadge>
      ) : (
        problems.map(({ column, message }) => (
          <Text key={`${column} ${message}`} size="sm" c="var(--hearth-bad)">
            {column}: {message}
          </Text>
        ))
      ),
  },
]

/** Hands over the links of new peers, once. */
function NewLinks({ peers, onClose }: { peers: ImportedPeer[]; onClose: () => void }) {
  const save = () => {
    const rows = peers.map(({ name, setup_url }) => [name, setup_url ?? ''])
    saveFile('set-up-links.csv', csvText([['name', 'set-up link'], ...rows]), 'text/csv')
  }
  return (
    <Stack>
      <Alert color="yellow" icon={<IconEyeOff aria-hidden />}>
        {formatCount(peers.length, 'peer')} created. Save the list of their set-up links now: it is shown only once.
        Each link gives the configuration of one device to whoever opens it first.
      </Alert>
      <Group justify="flex-end">
        <Button leftSection={<IconDownload size={16} aria-hidden />} onClick={save}>
          Save links
        </Button>
        <Button variant="default" onClick={onClose}>
          Close
        </Button>
      </Group>
    </Stack>
  )
}
