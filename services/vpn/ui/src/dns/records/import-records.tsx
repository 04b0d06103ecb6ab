import { Button, Group, List, Modal, Stack, Text, Textarea } from '@mantine/core'
import { answer, describeError, formatCount, Problem, useAction } from '@hearth/ui'
import { useState } from 'react'
import type { components } from '../../api.gen.ts'
import { api } from '../../api.ts'
import { recordRenewals } from './record-dialogs.tsx'

type Report = components['schemas']['DnsRecordImportReport']

const send = (body: { text: string; dry_run: boolean }) => answer(api.POST('/api/dns/records/import', { body }))

const example = `192.168.1.5 nas.home.example nas
tv.home.example A 192.168.1.6
www.home.example CNAME nas.home.example`

/** Creates local names from pasted lines: check them first, then create all of them. */
export function ImportRecords({ onClose }: { onClose: () => void }) {
  const [text, setText] = useState('')
  const [report, setReport] = useState<Report>()
  const [problem, setProblem] = useState<string>()
  const onProblem = (error: unknown) => setProblem(error instanceof Error ? error.message : describeError(error))
  const check = useAction({
    run: async () => (await send({ text, dry_run: true })).data,
    onDone: (found) => setReport(found),
    onProblem,
  })
  const create = useAction({
    run: () => send({ text, dry_run: false }),
    renew: recordRenewals,
    onDone: onClose,
    onProblem,
  })
  const change = (next: string) => {
    setText(next)
    setReport(undefined)
    setProblem(undefined)
  }
  const canCreate = report !== undefined && report.faulty === 0 && report.created > 0
  return (
    <Modal opened onClose={onClose} title="Import local names" size="lg" closeOnClickOutside={false}>
      <Stack>
        <Problem text={problem} />
        <Textarea
          label="Lines"
          description="A hosts file, or a name, a type and a value per line; a TTL in seconds may stand before the type"
          placeholder={example}
          autosize
          minRows={6}
          maxRows={14}
          data-autofocus
          autoCapitalize="none"
          spellCheck={false}
          className="import-lines"
          value={text}
          onChange={(event) => change(event.currentTarget.value)}
        />
        {report !== undefined && <Found report={report} />}
        <Group justify="flex-end" className="hearth-dialog-actions">
          <Button
            variant="default"
            disabled={text.trim() === ''}
            loading={check.isPending}
            onClick={() => check.mutate()}
          >
            Check
          </Button>
          <Button disabled={!canCreate} loading={create.isPending} onClick={() => create.mutate()}>
            {canCreate ? `Add ${formatCount(report.created, 'record')}` : 'Add'}
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}

function Found({ report: { created, existing, faulty, problems } }: { report: Report }) {
  return (
    <output className="import-found">
      <Text>
        {formatCount(created, 'new record')}
        {existing > 0 && `, ${existing.toLocaleString('en')} there already`}
        {faulty > 0 && `; ${formatCount(faulty, 'line')} cannot be used. Nothing is added until all can.`}
      </Text>
      {problems.length > 0 && (
        <List size="sm" className="import-problems wrap-anywhere">
          {problems.map(({ line, field, message }) => (
            <List.Item key={`${line} ${field} ${message}`}>
              Line {line}: {field === 'value' || field === 'name' ? `${field} ${message}` : `the ${field} ${message}`}
            </List.Item>
          ))}
        </List>
      )}
    </output>
  )
}
