import { Button, Checkbox, Group, List, Modal, Stack, Text } from '@mantine/core'
import { answer, describeError, formatCount, Problem, useAction } from '@hearth/ui'
import { useState } from 'react'
import type { components } from '../api.gen.ts'
import { api, keys } from '../api.ts'
import { FileChoice } from '../files/file-choice.tsx'
import { encodeFile } from '../files/encode-file.ts'
import { LeftOut } from '../files/left-out.tsx'

type Schemas = components['schemas']
type ImportBody = Schemas['DnsImport']
type Report = Schemas['DnsImportReport']
type Part = ImportBody['parts'][number]

const names = { 'adguard-home': 'AdGuard Home', 'pi-hole': 'Pi-hole' } as const

/** Takes over what AdGuard Home or Pi-hole was set to: choose its file, see what it holds, choose the parts. */
export function ImportFilter({ onClose }: { onClose: () => void }) {
  const [read, setRead] = useState<{ body: ImportBody; report: Report }>()
  const [done, setDone] = useState<{ report: Report; message: string }>()
  return (
    <Modal opened onClose={onClose} title="Import from AdGuard Home or Pi-hole" size="lg" closeOnClickOutside={false}>
      {done !== undefined ? (
        <Done {...done} onClose={onClose} />
      ) : read === undefined ? (
        <ChooseFiles onRead={(body, report) => setRead({ body, report })} />
      ) : (
        <ChooseParts
          {...read}
          onBack={() => setRead(undefined)}
          onDone={(report, message) => setDone({ report, message })}
        />
      )}
    </Modal>
  )
}

const send = (body: ImportBody) => answer(api.POST('/api/dns/import', { body }))

const allParts: Part[] = ['lists', 'rules', 'records', 'zones', 'clients', 'upstreams']

function ChooseFiles({ onRead }: { onRead: (body: ImportBody, report: Report) => void }) {
  const [files, setFiles] = useState<File[]>([])
  const [problem, setProblem] = useState<string>()
  const reading = useAction({
    run: async () => {
      const body = { files: await Promise.all(files.map(encodeFile)), parts: allParts, dry_run: false }
      return { body, report: (await send({ ...body, dry_run: true })).data }
    },
    onDone: ({ body, report }) => onRead(body, report),
    onProblem: (error) => setProblem(describeError(error)),
  })
  return (
    <Stack>
      <Problem text={problem} />
      <List size="sm" spacing={4}>
        <List.Item>
          <b>AdGuard Home</b>: <code>AdGuardHome.yaml</code>
        </List.Item>
        <List.Item>
          <b>Pi-hole 6</b>: the archive of <b>Settings → Teleporter</b>
        </List.Item>
      </List>
      <FileChoice
        label="File"
        placeholder="Choose a file"
        accept=".yaml,.yml,.zip,.toml,.db"
        value={files}
        onChange={setFiles}
      />
      <Group justify="flex-end" className="hearth-dialog-actions">
        <Button disabled={files.length === 0} loading={reading.isPending} onClick={() => reading.mutate()}>
          Read file
        </Button>
      </Group>
    </Stack>
  )
}

interface ChoosePartsProps {
  body: ImportBody
  report: Report
  onBack: () => void
  onDone: (report: Report, message: string) => void
}

function ChooseParts({ body, report, onBack, onDone }: ChoosePartsProps) {
  const counts = countsOf(report)
  const [parts, setParts] = useState<string[]>(
    allParts.filter((part) => counts[part].count > 0 && part !== 'upstreams'),
  )
  const [problem, setProblem] = useState<string>()
  const taking = useAction({
    run: () => send({ ...body, parts: allParts.filter((part) => parts.includes(part)) }),
    renew: [
      keys.blocklists,
      keys.dnsRules,
      keys.dnsRecords,
      keys.dnsZones,
      keys.dnsProfiles,
      keys.dnsSettings,
      keys.dnsStatus,
    ],
    onDone: ({ data, message }) => onDone(data, message),
    onProblem: (error) => setProblem(describeError(error)),
  })
  return (
    <Stack>
      <Problem text={problem} />
      <Checkbox.Group
        label={`From ${names[report.source]}`}
        description="What is here already stays as it is"
        value={parts}
        onChange={setParts}
      >
        <Stack gap="xs" mt="xs">
          {allParts.map((part) => (
            <Checkbox
              key={part}
              value={part}
              disabled={counts[part].count === 0}
              label={counts[part].label}
              description={counts[part].description}
            />
          ))}
        </Stack>
      </Checkbox.Group>
      <LeftOut entries={report.left_out} />
      <Group justify="flex-end" className="hearth-dialog-actions">
        <Button variant="default" onClick={onBack}>
          Choose another file
        </Button>
        <Button disabled={parts.length === 0} loading={taking.isPending} onClick={() => taking.mutate()}>
          Import
        </Button>
      </Group>
    </Stack>
  )
}

function countsOf({ lists, rules, records, zones, clients, upstreams }: Report) {
  const counted = (count: number, word: string, description?: string) => ({
    count,
    label: formatCount(count, word),
    description,
  })
  return {
    lists: counted(lists.found, 'block list'),
    rules: counted(rules.found, 'rule', 'Each holds for a domain and everything below it'),
    records: counted(records.found, 'local name'),
    zones: counted(zones.found, 'zone', 'Domains with servers of their own'),
    clients: counted(
      clients.found,
      'profile',
      'Settings of clients, for the device with the address or the name of each',
    ),
    upstreams: counted(
      upstreams.length,
      'upstream server',
      upstreams.length === 0 ? undefined : `Replaces those that are set: ${upstreams.join(', ')}`,
    ),
  } satisfies Record<Part, unknown>
}

function Done({ report, message, onClose }: { report: Report; message: string; onClose: () => void }) {
  return (
    <Stack>
      <Text component="output">{message}.</Text>
      {report.lists.created > 0 && (
        <Text size="sm" c="dimmed">
          New lists that are on are being downloaded.
        </Text>
      )}
      <LeftOut entries={report.left_out} />
      <Group justify="flex-end">
        <Button onClick={onClose}>Close</Button>
      </Group>
    </Stack>
  )
}
