import { Button, Group, NumberInput, Select, Text } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import {
  answer,
  DataTable,
  describeError,
  formatBytes,
  formatCount,
  Problem,
  QueryState,
  RelativeTime,
  Section,
  type Column,
} from '@hearth/ui'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'wouter'
import { api, keys, type Eviction, type Settings, type StoragePlan } from '../api.ts'
import { toIsoString } from '../jobs/job.ts'
import { useSaveSettings } from './settings-group.tsx'
import { StorageShares } from './storage-shares.tsx'
import './storage.css'

/** The storage: what takes space, how much there may be, and what goes to make room. */
export function StorageSettings({ settings }: { settings: Settings }) {
  const usage = useQuery({ queryKey: keys.storage, queryFn: () => answer(api.GET('/api/storage')) })
  return (
    <>
      <Section title="Stored files">
        <QueryState query={usage} lines={6} />
        {usage.data !== undefined && <StorageShares usage={usage.data} />}
      </Section>
      <BudgetForm
        key={`${settings.storage_budget_bytes} ${settings.storage_rule}`}
        settings={settings}
        used={usage.data?.used_bytes}
      />
      <EvictionLog />
    </>
  )
}

const rules = [
  { value: 'last_used', label: 'Longest unused first' },
  { value: 'oldest', label: 'Oldest first' },
  { value: 'largest', label: 'Largest first' },
] as const

const gibibyte = 1024 ** 3

/** The budget and the rule, with what would go for them before they are saved. */
function BudgetForm({ settings, used }: { settings: Settings; used: number | undefined }) {
  const stored = settings.storage_budget_bytes
  const shown = Number((stored / gibibyte).toFixed(4))
  const [amount, setAmount] = useState<number | string>(shown)
  const [rule, setRule] = useState(settings.storage_rule)
  const [problem, setProblem] = useState<string>()
  const save = useSaveSettings((error) => setProblem(describeError(error)))
  const budget = amount === '' || amount === shown ? stored : Math.round(Number(amount) * gibibyte)
  const isDirty = budget !== stored || rule !== settings.storage_rule
  const [tried] = useDebouncedValue({ budget, rule }, 300)
  const plan = useQuery({
    queryKey: keys.storagePlan(tried.budget, tried.rule),
    queryFn: ({ signal }) =>
      answer(
        api.GET('/api/storage/preview', {
          signal,
          params: { query: { budget_bytes: tried.budget, rule: tried.rule } },
        }),
      ),
    placeholderData: keepPreviousData,
  })
  return (
    <Section title="Budget">
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          setProblem(undefined)
          if (isDirty) save.mutate({ storage_budget_bytes: budget, storage_rule: rule })
        }}
      >
        <div className="setting-rows">
          <NumberInput
            className="setting-row"
            label="Most that files may take"
            description="Conversions and waves go first: they are made again when somebody asks for them. Then whole downloads go by the rule."
            suffix={Number(amount) === 0 ? ' – without limit' : ' GiB'}
            min={0}
            value={amount}
            onChange={setAmount}
          />
          <Select
            className="setting-row"
            label="What goes"
            description="Pinned downloads, running ones and those with a working share link never go."
            data={rules}
            value={rule}
            allowDeselect={false}
            onChange={(value) => setRule(rules.find((one) => one.value === value)?.value ?? rule)}
          />
        </div>
        <Problem text={problem} />
        {plan.error !== null && <Problem text="What would go cannot be shown at the moment." />}
        {plan.data !== undefined && <Preview plan={plan.data} isTrial={isDirty} used={used} budget={tried.budget} />}
        {isDirty && (
          <Group gap="xs" className="group-actions">
            <Button type="submit" loading={save.isPending}>
              Save
            </Button>
            <Button
              variant="default"
              disabled={save.isPending}
              onClick={() => {
                setAmount(shown)
                setRule(settings.storage_rule)
              }}
            >
              Discard
            </Button>
          </Group>
        )}
      </form>
    </Section>
  )
}

interface PreviewProps {
  plan: StoragePlan
  isTrial: boolean
  used: number | undefined
  budget: number
}

/** What would go for the budget in the form. */
function Preview({ plan, isTrial, used, budget }: PreviewProps) {
  const { copies, downloads, freed_bytes: freed } = plan
  if (budget === 0 || plan.shortage_bytes === 0)
    return (
      <Text size="sm" c="dimmed" component="output">
        {budget === 0 ? 'Nothing goes without a limit.' : 'Everything fits; nothing goes.'}
      </Text>
    )
  const parts = [
    copies.files === 0 ? '' : formatCount(copies.files, 'conversion or wave', 'conversions and waves'),
    downloads.count === 0 ? '' : `${plan.is_complete ? '' : 'more than '}${formatCount(downloads.count, 'download')}`,
  ].filter((part) => part !== '')
  return (
    <div className="storage-preview">
      <Text size="sm" fw={600} component="output">
        {parts.length === 0
          ? 'Nothing may go.'
          : `${isTrial ? 'Saving would remove' : 'To go now:'} ${parts.join(' and ')}, ${formatBytes(freed)}.`}
      </Text>
      {!plan.is_enough && (
        <Text size="sm" c="red">
          {used === undefined ? 'More' : formatBytes(Math.max(0, used - freed))} would stay, which is over the budget:
          it is pinned, shared or running. New downloads are refused until there is room.
        </Text>
      )}
      {downloads.first.length > 0 && (
        <ul aria-label="Downloads that would go">
          {downloads.first.slice(0, 10).map(({ job_id: id, title, bytes, last_used_at: lastUse }) => (
            <li key={id}>
              <Link className="hearth-link" href={`/job/${id}`}>
                {title}
              </Link>
              <span>
                {lastUse !== null && (
                  <>
                    used <RelativeTime value={toIsoString(lastUse)} />,{' '}
                  </>
                )}
                {formatBytes(bytes)}
              </span>
            </li>
          ))}
          {downloads.count > 10 && <li>and {(downloads.count - 10).toLocaleString('en')} more</li>}
        </ul>
      )}
    </div>
  )
}

const columns: readonly Column<Eviction>[] = [
  { key: 'title', header: 'Download', role: 'title', render: ({ title }) => title },
  { key: 'kind', header: 'What', render: ({ kind }) => (kind === 'download' ? 'All files' : 'Conversions, waves') },
  { key: 'bytes', header: 'Freed', render: ({ bytes }) => formatBytes(bytes) },
  { key: 'when', header: 'When', render: ({ evicted_at: at }) => <RelativeTime value={toIsoString(at)} /> },
  { key: 'why', header: 'Why', render: ({ reason }) => reason },
]

function EvictionLog() {
  const log = useQuery({ queryKey: keys.evictions, queryFn: () => answer(api.GET('/api/storage/log')) })
  return (
    <Section title="Made room">
      <QueryState query={log} lines={3} />
      {log.data !== undefined && (
        <DataTable
          label="Files that went"
          columns={columns}
          answer={{ rows: log.data, total: log.data.length, error: null, retry: () => undefined }}
          rowKey={({ id }) => id}
          empty={
            <Text size="sm" c="dimmed">
              Nothing went so far.
            </Text>
          }
        />
      )}
    </Section>
  )
}
