import { NativeSelect, PasswordInput, TextInput } from '@mantine/core'
import { isNotEmpty, useForm } from '@mantine/form'
import { answer, ApiError, FormDialog } from '@hearth/ui'
import { api, keys } from '../api.ts'
import type { DnsProvider, DnsProviderKind } from './read-orders.ts'

type Field = DnsProviderKind['fields'][number]

interface ProviderDialogProps {
  readonly kinds: readonly DnsProviderKind[]
  /** The provider to change; a new one without it. */
  readonly of?: DnsProvider
  readonly onClose: () => void
}

/** The form of a DNS provider, made from what its kind says it needs. */
export function ProviderDialog({ kinds, of, onClose }: ProviderDialogProps) {
  const first = of?.kind ?? kinds[0]?.kind ?? ''
  const form = useForm<Record<string, string>>({
    initialValues: { name: of?.name ?? '', kind: first, ...blankOf(kinds), ...of?.settings },
    validate: { name: isNotEmpty('Required') },
  })
  const chosen = form.getValues()['kind'] ?? first
  const fields = kinds.find(({ kind }) => kind === chosen)?.fields ?? []
  return (
    <FormDialog
      opened
      onClose={onClose}
      title={of === undefined ? 'Add a DNS provider' : `Change ${of.name}`}
      submitLabel={of === undefined ? 'Add' : 'Save'}
      form={form}
      submit={(values) => save(of, fields, values)}
      renew={[keys.dnsProviders]}
    >
      <TextInput label="Name" placeholder="Home zone" {...form.getInputProps('name')} />
      {of === undefined && (
        <NativeSelect
          label="Kind"
          data={kinds.map(({ kind, label }) => ({ value: kind, label }))}
          {...form.getInputProps('kind')}
        />
      )}
      {fields.map((field) => (
        <SettingInput key={field.name} field={field} isKept={of !== undefined} input={form.getInputProps(field.name)} />
      ))}
    </FormDialog>
  )
}

const blankOf = (kinds: readonly DnsProviderKind[]) =>
  Object.fromEntries(kinds.flatMap(({ fields }) => fields.map(({ name, choices }) => [name, choices?.[0] ?? ''])))

interface SettingInputProps {
  readonly field: Field
  /** True if an empty secret keeps the stored one. */
  readonly isKept: boolean
  readonly input: object
}

function SettingInput({ field, isKept, input }: SettingInputProps) {
  const shared = { label: field.label, placeholder: field.placeholder ?? '', spellCheck: false, autoComplete: 'off' }
  if (field.choices !== null) return <NativeSelect label={field.label} data={field.choices} {...input} />
  if (!field.secret) return <TextInput {...shared} description={field.hint} {...input} />
  const hint = isKept ? 'Leave it empty to keep the stored one' : 'Kept sealed and never shown again'
  const description = field.hint === null ? hint : `${field.hint}. ${hint}`
  return <PasswordInput {...shared} autoComplete="new-password" description={description} {...input} />
}

async function save(of: DnsProvider | undefined, fields: readonly Field[], values: Record<string, string>) {
  const { name = '', kind = '' } = values
  const given = fields.map((field) => [field.name, values[field.name] ?? ''] as const)
  const settings = Object.fromEntries(given.filter(([, value]) => value !== ''))
  try {
    if (of === undefined) return await answer(api.POST('/api/dns-providers', { body: { name, kind, settings } }))
    const params = { path: { id: of.id } }
    return await answer(api.PATCH('/api/dns-providers/{id}', { params, body: { name, settings } }))
  } catch (error) {
    throw withShortPaths(error)
  }
}

/** The inputs of settings have the names of the settings. */
function withShortPaths(error: unknown): unknown {
  if (!(error instanceof ApiError)) return error
  const fields = error.fields.map((field) => ({ ...field, path: field.path.replace(/^settings\./, '') }))
  return new ApiError(error.message, { status: error.status, kind: error.kind, details: { fields } })
}
