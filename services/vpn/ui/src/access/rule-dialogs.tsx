import { NativeSelect, SegmentedControl, TextInput } from '@mantine/core'
import { answer, ConfirmDelete, FormDialog } from '@hearth/ui'
import { useForm, type UseFormReturnType } from '@mantine/form'
import { type AccessGroup, type AccessRule, api } from '../api.ts'
import { PeerPicker } from '../peers/peer-picker.tsx'
import { accessRenewals, peerNamed, useGroups } from './access-queries.ts'
import {
  hasPorts,
  protocols,
  readPorts,
  ruleText,
  type RuleValues,
  ruleValues,
  subjectKinds,
  targetKinds,
} from './access-values.ts'

type Form = UseFormReturnType<RuleValues>

const choices = (labels: Record<string, string>) => Object.entries(labels).map(([value, label]) => ({ value, label }))

const needed = (text: string, isShown: boolean, what: string) => (isShown && text.trim() === '' ? what : null)

const validate = {
  fromGroup: (text: string, { from }: RuleValues) => needed(text, from === 'group', 'Choose a group'),
  fromPeer: (text: string, { from }: RuleValues) => needed(text, from === 'peer', 'Choose a device'),
  toGroup: (text: string, { to }: RuleValues) => needed(text, to === 'group', 'Choose a group'),
  toPeer: (text: string, { to }: RuleValues) => needed(text, to === 'peer', 'Choose a device'),
  network: (text: string, { to }: RuleValues) => needed(text, to === 'network', 'Enter a network or address'),
}

/** Members of a request for the values of the form. */
async function toBody(values: RuleValues) {
  const { action, protocol, note } = values
  const named = async (group: string, peer: string, kind: 'group' | 'peer') => {
    return kind === 'group' ? { kind, id: group } : { kind, id: await peerNamed(peer) }
  }
  const from =
    values.from === 'everybody' ? { kind: values.from } : await named(values.fromGroup, values.fromPeer, values.from)
  const to =
    values.to === 'group' || values.to === 'peer'
      ? await named(values.toGroup, values.toPeer, values.to)
      : values.to === 'network'
        ? { kind: values.to, network: values.network.trim() }
        : { kind: values.to }
  return { action, protocol, note, from, to, ports: hasPorts(protocol) ? readPorts(values.ports) : [] }
}

/** Adds a rule at the end, or changes one. */
export function RuleForm({ rule, onClose }: { rule?: AccessRule; onClose: () => void }) {
  const form = useForm<RuleValues>({ initialValues: ruleValues(rule), validate })
  const groups = useGroups().data ?? []
  const { protocol } = form.getValues()
  const submit = async (values: RuleValues) => {
    const body = await toBody(values)
    if (rule === undefined) return answer(api.POST('/api/access/rules', { body: { ...body, enabled: true } }))
    return answer(api.PUT('/api/access/rules/{id}', { params: { path: { id: rule.id } }, body }))
  }
  return (
    <FormDialog
      opened
      onClose={onClose}
      title={rule === undefined ? 'Add rule' : `Edit rule ${rule.position}`}
      submitLabel={rule === undefined ? 'Add rule' : 'Save'}
      form={form}
      submit={submit}
      renew={accessRenewals}
    >
      <SegmentedControl
        aria-label="Action"
        data={[
          { value: 'allow', label: 'Allow' },
          { value: 'deny', label: 'Deny' },
        ]}
        {...form.getInputProps('action')}
      />
      <NativeSelect label="From" data={choices(subjectKinds)} data-autofocus {...form.getInputProps('from')} />
      <NamedEnd form={form} end="from" groups={groups} />
      <NativeSelect label="To" data={choices(targetKinds)} {...form.getInputProps('to')} />
      <NamedEnd form={form} end="to" groups={groups} />
      <NativeSelect label="What" data={choices(protocols)} {...form.getInputProps('protocol')} />
      {hasPorts(protocol) && (
        <TextInput
          label="Ports"
          description="Empty for every port"
          placeholder="443, 8000-8080"
          autoComplete="off"
          {...form.getInputProps('ports')}
        />
      )}
      <TextInput label="Note" maxLength={200} {...form.getInputProps('note')} />
    </FormDialog>
  )
}

/** The field that names the group, device or network of one end. */
function NamedEnd({ form, end, groups }: { form: Form; end: 'from' | 'to'; groups: readonly AccessGroup[] }) {
  const label = end === 'from' ? 'From which' : 'To which'
  switch (form.getValues()[end]) {
    case 'group':
      return (
        <NativeSelect
          label={`${label} group`}
          required
          data={[{ value: '', label: 'Choose' }, ...groups.map(({ id, name }) => ({ value: id, label: name }))]}
          {...form.getInputProps(`${end}Group`)}
        />
      )
    case 'peer':
      return (
        <PeerPicker
          label={`${label} device`}
          required
          value={form.getValues()[`${end}Peer`]}
          {...form.getInputProps(`${end}Peer`)}
        />
      )
    case 'network':
      return (
        <TextInput
          label="Network or address"
          required
          placeholder="192.168.1.0/24"
          autoComplete="off"
          {...form.getInputProps('network')}
        />
      )
    case 'everybody':
    case 'internet':
    case 'gateway':
      return null
  }
}

/** Dialog that confirms the deletion of a rule. */
export function DeleteAccessRule({ rule, onClose }: { rule: AccessRule; onClose: () => void }) {
  return (
    <ConfirmDelete
      opened
      onClose={onClose}
      title={`Delete rule ${rule.position}?`}
      verb="Delete rule"
      losses={[`“${ruleText(rule)}” no longer holds; later rules or the default decide`]}
      action={{
        run: () => answer(api.DELETE('/api/access/rules/{id}', { params: { path: { id: rule.id } } })),
        renew: accessRenewals,
      }}
    />
  )
}
