import { Input, SegmentedControl, TextInput } from '@mantine/core'
import { answer, ConfirmDelete, formatCount, FormDialog } from '@hearth/ui'
import { type UseFormReturnType, useForm } from '@mantine/form'
import { api, type DnsRule } from '../../api.ts'
import { PeerPicker } from '../../peers/peer-picker.tsx'
import { RuleEffect } from './rule-effect.tsx'
import { type RuleValues, ruleValues, toRule } from './rule-values.ts'
import { ruleRenewals } from './use-rule-actions.ts'

const validate = { domain: (text: string) => (text.trim() === '' ? 'Which name is it about?' : null) }

/** Adds a rule. */
export function CreateRule({ onClose, start }: { onClose: () => void; start?: Partial<RuleValues> }) {
  const form = useForm<RuleValues>({ initialValues: { ...ruleValues(), ...start }, validate })
  return (
    <FormDialog
      opened
      onClose={onClose}
      title="Add rule"
      submitLabel="Add rule"
      form={form}
      submit={(values) => answer(api.POST('/api/dns/rules', { body: toRule(values) }))}
      renew={ruleRenewals}
    >
      <RuleFields form={form} />
    </FormDialog>
  )
}

/** Changes a rule. */
export function EditRule({ rule, onClose }: { rule: DnsRule; onClose: () => void }) {
  const form = useForm<RuleValues>({ initialValues: ruleValues(rule), validate })
  return (
    <FormDialog
      opened
      onClose={onClose}
      title="Edit rule"
      submitLabel="Save"
      form={form}
      submit={(values) =>
        answer(api.PUT('/api/dns/rules/{id}', { params: { path: { id: rule.id } }, body: toRule(values) }))
      }
      renew={ruleRenewals}
    >
      <RuleFields form={form} />
    </FormDialog>
  )
}

function RuleFields({ form }: { form: UseFormReturnType<RuleValues> }) {
  return (
    <>
      <Input.Wrapper label="What it does" labelElement="div">
        <SegmentedControl
          fullWidth
          aria-label="What it does"
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
        label="For whom"
        description="A peer’s name; empty for everyone. A rule for a peer stands before one for everyone."
        placeholder="Everyone"
        {...form.getInputProps('client')}
        value={form.getValues().client}
      />
      <RuleEffect rule={toRule(form.getValues())} />
    </>
  )
}

/** Asks before a rule goes. */
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
