import { ActionIcon, Button, Group, Switch, Text } from '@mantine/core'
import { EmptyState, QueryState, Section, StatusBadge, useAction, useSession } from '@hearth/ui'
import {
  IconArrowDown,
  IconArrowUp,
  IconGripVertical,
  IconPencil,
  IconPlus,
  IconRoute,
  IconTrash,
} from '@tabler/icons-react'
import { useQueryClient } from '@tanstack/react-query'
import { type PointerEvent, useState } from 'react'
import type { AccessRule } from '../api.ts'
import { RowMenu } from '../sections/row-menu.tsx'
import { accessRenewals, changeRule, rulesKey, useRules } from './access-queries.ts'
import { endText, moved, ruleText, serviceText } from './access-values.ts'
import { DeleteAccessRule, RuleForm } from './rule-dialogs.tsx'

type RuleDialog = { kind: 'create' } | { kind: 'edit' | 'delete'; rule: AccessRule }

/** The rules in their order, which the pointer and the arrow buttons change. */
export function Rules() {
  const { isAdmin } = useSession()
  const rules = useRules()
  const [dialog, setDialog] = useState<RuleDialog>()
  const close = () => setDialog(undefined)
  const add = isAdmin && (
    <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setDialog({ kind: 'create' })}>
      Add rule
    </Button>
  )
  const isEmpty = rules.data?.length === 0
  return (
    <Section title="Rules" actions={isEmpty ? undefined : add}>
      <QueryState query={rules} lines={4} />
      {isEmpty && (
        <EmptyState icon={IconRoute} title="No rules yet" action={add}>
          Decide which devices reach which others, your networks or the internet.
        </EmptyState>
      )}
      {rules.data !== undefined && !isEmpty && (
        <>
          <Text c="dimmed" size="sm" mb="xs">
            The first rule that matches a connection decides. Answers come back by themselves. Devices that are kept
            apart stay apart, whatever rules allow.
          </Text>
          <RuleList rules={rules.data} onOpen={isAdmin ? setDialog : undefined} />
        </>
      )}
      {dialog?.kind === 'create' && <RuleForm onClose={close} />}
      {dialog?.kind === 'edit' && <RuleForm rule={dialog.rule} onClose={close} />}
      {dialog?.kind === 'delete' && <DeleteAccessRule rule={dialog.rule} onClose={close} />}
    </Section>
  )
}

/** Moves a rule; the list shows it at once, and reads the order again when the server has it. */
function useMove() {
  const cache = useQueryClient()
  return useAction<{ rule: AccessRule; position: number }, { message: string }>({
    run({ rule, position }) {
      cache.setQueryData<AccessRule[]>(rulesKey, (old = []) => {
        const byId = new Map(old.map((each) => [each.id, each]))
        const order = moved([...byId.keys()], rule.id, position - 1)
        return order.flatMap((id, index) => {
          const each = byId.get(id)
          return each === undefined ? [] : [{ ...each, position: index + 1 }]
        })
      })
      return changeRule(rule.id, { position })
    },
    done: (_, { position }) => `Moved to place ${position}`,
    renew: accessRenewals,
  })
}

interface RuleListProps {
  rules: readonly AccessRule[]
  onOpen: ((dialog: RuleDialog) => void) | undefined
}

function RuleList({ rules, onOpen }: RuleListProps) {
  const move = useMove()
  const [over, setOver] = useState<number>()
  return (
    <ol className="access-list" aria-label="Rules">
      {rules.map((rule) => (
        <li
          key={rule.id}
          data-position={rule.position}
          data-off={!rule.enabled || undefined}
          data-over={over === rule.position || undefined}
        >
          {onOpen !== undefined && (
            <DragHandle
              rule={rule}
              count={rules.length}
              onOver={setOver}
              onDrop={(position) => move.mutate({ rule, position })}
            />
          )}
          <span className="access-place hearth-dimmed">{rule.position}</span>
          <RuleSentence rule={rule} />
          {onOpen !== undefined && (
            <RuleControls
              rule={rule}
              isLast={rule.position === rules.length}
              onMove={(position) => move.mutate({ rule, position })}
              onOpen={onOpen}
            />
          )}
        </li>
      ))}
    </ol>
  )
}

/** The place of the rule under the pointer. */
function placeAt({ clientX, clientY }: PointerEvent): number | undefined {
  const item = document.elementFromPoint(clientX, clientY)?.closest<HTMLElement>('li[data-position]')
  return item === null || item === undefined ? undefined : Number(item.dataset['position'])
}

/** A handle that is dragged by mouse or finger; the arrow keys move the rule by one. */
function DragHandle(props: {
  rule: AccessRule
  count: number
  onOver: (position: number | undefined) => void
  onDrop: (position: number) => void
}) {
  const { rule, count, onOver, onDrop } = props
  const dropAt = (position: number | undefined) => {
    if (position !== undefined && position !== rule.position && position >= 1 && position <= count) onDrop(position)
  }
  return (
    <ActionIcon
      variant="subtle"
      color="gray"
      size={30}
      className="access-grip"
      aria-label={`Drag rule ${rule.position}, or move it with the arrow keys`}
      onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
      onPointerMove={(event) => {
        if (event.currentTarget.hasPointerCapture(event.pointerId)) onOver(placeAt(event))
      }}
      onPointerUp={(event) => {
        onOver(undefined)
        dropAt(placeAt(event))
      }}
      onPointerCancel={() => onOver(undefined)}
      onKeyDown={(event) => {
        if (event.key !== 'ArrowUp' && event.key !== 'ArrowDown') return
        event.preventDefault()
        dropAt(rule.position + (event.key === 'ArrowUp' ? -1 : 1))
      }}
    >
      <IconGripVertical size={16} aria-hidden />
    </ActionIcon>
  )
}

function RuleSentence({ rule }: { rule: AccessRule }) {
  return (
    <span className="access-main">
      <span>
        <StatusBadge tone={rule.action === 'allow' ? 'good' : 'bad'}>
          {rule.action === 'allow' ? 'Allow' : 'Deny'}
        </StatusBadge>{' '}
        {serviceText(rule)} from <b className="wrap-anywhere">{endText(rule.from)}</b> to{' '}
        <b className="wrap-anywhere">{endText(rule.to)}</b>
      </span>
      {rule.note !== '' && (
        <Text c="dimmed" size="sm" className="wrap-anywhere">
          {rule.note}
        </Text>
      )}
    </span>
  )
}

function RuleControls(props: {
  rule: AccessRule
  isLast: boolean
  onMove: (position: number) => void
  onOpen: (dialog: RuleDialog) => void
}) {
  const { rule, isLast, onMove, onOpen } = props
  const toggle = useAction<boolean, { message: string }>({
    run: (enabled) => changeRule(rule.id, { enabled }),
    renew: accessRenewals,
  })
  return (
    <Group gap={6} wrap="nowrap" className="access-controls">
      <Switch
        aria-label={`Rule ${rule.position} holds`}
        checked={rule.enabled}
        disabled={toggle.isPending}
        onChange={(event) => toggle.mutate(event.currentTarget.checked)}
      />
      <ActionIcon
        variant="default"
        size={30}
        aria-label={`Move rule ${rule.position} up`}
        disabled={rule.position === 1}
        onClick={() => onMove(rule.position - 1)}
      >
        <IconArrowUp size={16} aria-hidden />
      </ActionIcon>
      <ActionIcon
        variant="default"
        size={30}
        aria-label={`Move rule ${rule.position} down`}
        disabled={isLast}
        onClick={() => onMove(rule.position + 1)}
      >
        <IconArrowDown size={16} aria-hidden />
      </ActionIcon>
      <RowMenu
        label={`More for rule ${rule.position}: ${ruleText(rule)}`}
        entries={[
          { label: 'Edit', icon: IconPencil, onClick: () => onOpen({ kind: 'edit', rule }) },
          { label: 'Delete', icon: IconTrash, onClick: () => onOpen({ kind: 'delete', rule }), isDestructive: true },
        ]}
      />
    </Group>
  )
}
