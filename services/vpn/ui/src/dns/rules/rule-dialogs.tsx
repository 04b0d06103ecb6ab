import { Input, SegmentedControl, TextInput } from '@mantine/core'
import { answer, ConfirmDelete, describeError, formatCount, FormDialog } from '@hearth/ui'
import { useForm, type UseFormReturnType } from '@mantine/form'
import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { api, type DnsRule, type RulePreview } from '../../api.ts'
import { PeerPicker } from '../../peers/peer-picker.tsx'
import { looksLikeDomain, type RuleValues, ruleValues, toRule } from './rule-values.ts'
import { ruleRenewals, type RuleRequest } from './use-rule-actions.ts'

const validate = { domain: (text: string) => (text.trim() === '' ? 'Enter a domain name' : null) }

interface RuleFormProps {
  /** The rule to change; without one a rule is added. */
  rule?: DnsRule
  /** Values that a new rule begins with. */
  start?: RuleRequest
  onClose: () => void
}

/** Adds a rule, or changes one. */
export function RuleForm({ rule, start, onClose }: RuleFormProps) {
  const form = useForm<RuleValues>({ initialValues: ruleValues(rule ?? start), validate })
  const submit = (values: RuleValues) =>
    rule === undefined
      ? answer(api.POST('/api/dns/rules', { body: toRule(values) }))
      : answer(api.PUT('/api/dns/rules/{id}', { params: { path: { id: rule.id } }, body: toRule(values) }))
  return (
    <FormDialog
      opened
      onClose={onClose}
      title={rule === undefined ? 'Add rule' : 'Edit rule'}
      submitLabel={rule === undefined ? 'Add rule' : 'Save'}
      form={form}
      submit={submit}
      renew={ruleRenewals}
    >
      <RuleFields form={form} />
    </FormDialog>
  )
}

function RuleFields({ form }: { form: UseFormReturnType<RuleValues> }) {
  return (
    <>
      <Input.Wrapper label="Action" labelElement="div">
        <SegmentedControl
          fullWidth
          aria-label="Action"
          data={[
            { value: 'block', label: 'Block' },
            { value: 'allow', label: 'Allow' },
          ]}
          {...form.getInputProps('action')}
        />
      </Input.Wrapper>
      <TextInput
        label="Domain"
        description="It and everything below it; *.example.com is only what is below"
        placeholder="ads.example.com"
        required
        data-autofocus
        autoCapitalize="none"
        spellCheck={false}
        className="domain-field"
        {...form.getInputProps('domain')}
      />
      <PeerPicker
        label="Applies to"
        description="A peer’s name; empty for everyone. A rule for a peer stands before one for everyone."
        placeholder="Everyone"
        {...form.getInputProps('client')}
        value={form.getValues().client}
      />
      <RuleEffect rule={toRule(form.getValues())} />
    </>
  )
}

/** Dialog that confirms the deletion of a rule. */
export function DeleteRule({ rule, onClose }: { rule: DnsRule; onClose: () => void }) {
  const effect = rule.action === 'block' ? 'blocked' : 'allowed'
  return (
    <ConfirmDelete
      opened
      onClose={onClose}
      title={`Delete the rule for ${rule.domain}?`}
      verb="Delete rule"
      losses={[
        `“${rule.domain}” is no longer ${effect} for ${rule.client ?? 'everyone'}; the lists decide again`,
        `The count of what it decided: ${formatCount(rule.hits, 'query', 'queries')}`,
      ]}
      action={{
        run: () => answer(api.DELETE('/api/dns/rules/{id}', { params: { path: { id: rule.id } } })),
        renew: ruleRenewals,
      }}
    />
  )
}

/** Preview of a rule: what it would have changed in the last 24 hours, by peer. */
function RuleEffect({ rule }: { rule: RuleRequest }) {
  const [previewed] = useDebouncedValue(rule, 700)
  const isValidDomain = looksLikeDomain(previewed.domain)
  const effect = useQuery({
    queryKey: ['rule-effect', previewed],
    queryFn: async () => (await answer(api.POST('/api/dns/rules/preview', { body: previewed }))).data,
    enabled: isValidDomain,
    staleTime: 60_000,
    retry: false,
  })
  const isCurrent = isSameRule(previewed, rule)
  return (
    <output className="rule-effect" aria-live="polite" data-stale={!isCurrent || undefined}>
      {!isValidDomain && <span className="hearth-dimmed">Type a domain to see what the rule would have changed.</span>}
      {isValidDomain && effect.isPending && <span className="hearth-dimmed">Checking the last 24 hours…</span>}
      {isValidDomain && effect.error !== null && <span className="hearth-dimmed">{describeError(effect.error)}</span>}
      {isValidDomain && effect.data !== undefined && <Effect action={previewed.action} of={effect.data} />}
    </output>
  )
}

const shown = 5

function Effect({ action, of }: { action: RuleRequest['action']; of: RulePreview }) {
  const queries = formatCount(of.changed, 'query', 'queries')
  const done = action === 'block' ? 'blocked' : 'let through'
  if (of.changed === 0)
    return (
      <span>
        It would have changed nothing in the last 24 hours
        {of.matching > 0 && `: ${formatCount(of.matching, 'query', 'queries')} matched and ended that way already`}.
      </span>
    )
  return (
    <>
      <span>
        In the last 24 hours it would have {done} <b>{queries}</b>:
      </span>
      <ul>
        {of.clients.slice(0, shown).map(({ client, changed }) => (
          <li key={client ?? ''}>
            <span className="hearth-name">{client ?? 'No peer'}</span> {changed.toLocaleString('en')}
          </li>
        ))}
        {of.clients.length > shown && <li>and {formatCount(of.clients.length - shown, 'other peer')}</li>}
      </ul>
    </>
  )
}

const isSameRule = (one: RuleRequest, other: RuleRequest) =>
  one.action === other.action && one.domain === other.domain && one.client === other.client
