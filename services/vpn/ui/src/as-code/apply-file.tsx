import { Button, Checkbox, FileInput, Group, List, PasswordInput, Stack, Text } from '@mantine/core'
import { answer, ApiError, describeError, formatCount, Problem, useAction } from '@hearth/ui'
import { IconFileCode } from '@tabler/icons-react'
import { useState } from 'react'
import type { components } from '../api.gen.ts'
import { api, keys } from '../api.ts'
import { ChangeList, Plan } from './plan.tsx'

type ApplyBody = components['schemas']['ApplyRequest']
type Report = components['schemas']['ApplyReport']
type Change = components['schemas']['PlannedChange']

const send = (body: ApplyBody) => answer(api.POST('/api/apply', { body }))

/** Applies a file: choose it, see what would change, do it. */
export function ApplyFile() {
  const [file, setFile] = useState<{ name: string; text: string }>()
  const [passphrase, setPassphrase] = useState('')
  const [prune, setPrune] = useState(false)
  const [plan, setPlan] = useState<Report>()
  const [problem, setProblem] = useState<unknown>()
  const forget = () => {
    setPlan(undefined)
    setProblem(undefined)
  }
  const hasSecrets = file !== undefined && /^secrets:/m.test(file.text)
  const body = {
    text: file?.text ?? '',
    ...(hasSecrets ? { passphrase } : {}),
    prune,
    new_keys: false,
    allow_host_overlap: false,
  }
  const onProblem = (error: unknown) => {
    setPlan(undefined)
    setProblem(error)
  }
  const check = useAction({
    run: async () => (await send({ ...body, dry_run: true })).data,
    onDone(report) {
      setProblem(undefined)
      setPlan(report)
    },
    onProblem,
  })
  const apply = useAction({
    run: () => send({ ...body, dry_run: false, ...(plan === undefined ? {} : { expected_plan: plan.plan }) }),
    done: ({ message }) => message,
    renew: Object.values(keys),
    onDone: ({ data }) => setPlan({ ...data, changes: [], created: 0, changed: 0, deleted: 0 }),
    onProblem,
  })
  const choose = async (chosen: File | null) => {
    forget()
    setFile(chosen === null ? undefined : { name: chosen.name, text: await chosen.text() })
  }
  const count = plan === undefined ? 0 : plan.created + plan.changed + plan.deleted
  return (
    <Stack>
      <FileField onChoose={(chosen) => void choose(chosen)} />
      {hasSecrets && (
        <PasswordInput
          label="Passphrase of its secrets"
          autoComplete="off"
          value={passphrase}
          onChange={(event) => {
            forget()
            setPassphrase(event.currentTarget.value)
          }}
        />
      )}
      <Checkbox
        label="Delete what the file does not have"
        description="In the sections that it has; the plan names everything that goes"
        checked={prune}
        onChange={(event) => {
          forget()
          setPrune(event.currentTarget.checked)
        }}
      />
      {problem !== undefined && <FileProblems error={problem} />}
      {plan !== undefined && <Plan report={plan} />}
      <Group>
        <Button
          variant={plan === undefined ? 'filled' : 'default'}
          disabled={file === undefined || (hasSecrets && passphrase === '')}
          loading={check.isPending}
          onClick={() => check.mutate()}
        >
          Show the plan
        </Button>
        {count > 0 && (
          <Button
            {...(plan !== undefined && plan.deleted > 0 ? { color: 'red' } : {})}
            loading={apply.isPending}
            onClick={() => apply.mutate()}
          >
            Make {formatCount(count, 'change')}
          </Button>
        )}
      </Group>
    </Stack>
  )
}

function FileField({ onChoose }: { onChoose: (file: File | null) => void }) {
  return (
    <FileInput
      label="File"
      placeholder="Choose a YAML file"
      accept=".yaml,.yml"
      clearable
      clearButtonProps={{ 'aria-label': 'Choose no file' }}
      leftSection={<IconFileCode size={16} aria-hidden />}
      onChange={onChoose}
    />
  )
}

/** Problems that are shown. */
const shown = 30

interface Fault {
  line?: number
  path: string
  message: string
}

/** What is wrong with a file, line by line. */
function FileProblems({ error }: { error: unknown }) {
  const listed = (name: string): unknown[] => {
    const found = error instanceof ApiError ? error.details[name] : undefined
    return Array.isArray(found) ? found : []
  }
  const fields = listed('fields') as Fault[]
  const [done, left] = [listed('done') as Change[], listed('not_done') as Change[]]
  if (done.length > 0)
    return (
      <>
        <Problem text={error instanceof Error ? error.message : describeError(error)} />
        <Text size="sm">Was done:</Text>
        <ChangeList label="Was done" changes={done} count={done.length} />
        {left.length > 0 && <Text size="sm">Was not done:</Text>}
        <ChangeList label="Was not done" changes={left} count={left.length} />
      </>
    )
  if (fields.length <= 1) return <Problem text={error instanceof Error ? error.message : describeError(error)} />
  return (
    <>
      <Problem text={`${formatCount(fields.length, 'problem')} in the way. Nothing was changed.`} />
      <List size="sm" className="wrap-anywhere">
        {fields.slice(0, shown).map(({ line, path, message }) => (
          <List.Item key={`${path} ${message}`}>
            {line !== undefined && `Line ${line}: `}
            <b>{path}</b> {message}
          </List.Item>
        ))}
      </List>
      {fields.length > shown && <Text size="sm">And {formatCount(fields.length - shown, 'more problem')}.</Text>}
    </>
  )
}
