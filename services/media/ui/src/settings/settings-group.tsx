import { Button, Group, NumberInput, Stack, Switch, TextInput } from '@mantine/core'
import { answer, changedValues, describeError, Problem, Section, useAction } from '@hearth/ui'
import { useForm, type UseFormReturnType } from '@mantine/form'
import { useState, type ReactNode } from 'react'
import { api, keys, type Settings, type SettingsAnswer, type SettingsChange } from '../api.ts'
import { fieldProblemOf, valuesOf, type GroupValues, type SettingName } from './setting-fields.ts'

/** A field of a group: a whole number with its unit, a text with a placeholder, or a switch. */
export interface SettingField {
  name: SettingName
  label: string
  description: string
  unit?: string
  /** Effect of the text, shown below it while it is typed. */
  preview?: (text: string) => ReactNode
  /** Meaning of the number 0 where that is something else than none. */
  zero?: string
  placeholder?: string
}

interface GroupProps {
  title: string
  settings: Settings
  fields: readonly SettingField[]
  /** Stands under the fields and is not saved with them. */
  foot?: ReactNode
}

/** Some settings that belong together: saved together, and only what changed. */
export function SettingsGroup(props: GroupProps) {
  const stored = valuesOf(
    props.settings,
    props.fields.map(({ name }) => name),
  )
  // Somebody else may have changed one of these; another group's save must not touch what is typed here.
  return <GroupForm key={JSON.stringify(stored)} {...props} stored={stored} />
}

function GroupForm({ title, fields, foot, stored }: GroupProps & { stored: GroupValues }) {
  const [problem, setProblem] = useState<string>()
  const form = useForm<GroupValues>({ initialValues: stored })
  const changes: SettingsChange = changedValues(form.getValues(), stored)
  const isDirty = Object.keys(changes).length > 0
  const save = useSaveSettings((error) => setProblem(showFieldProblem(form, error)))
  const submit = form.onSubmit(() => {
    setProblem(undefined)
    if (isDirty) save.mutate(changes)
  })
  return (
    <Section title={title}>
      <form onSubmit={submit} noValidate>
        <Stack gap="sm">
          <div className="setting-rows">
            {fields.map((field) => (
              <Field key={field.name} form={form} field={field} />
            ))}
          </div>
          <Problem text={problem} />
          {isDirty && (
            <Group gap="xs" className="group-actions">
              <Button type="submit" loading={save.isPending}>
                Save
              </Button>
              <Button variant="default" disabled={save.isPending} onClick={() => form.reset()}>
                Discard
              </Button>
            </Group>
          )}
        </Stack>
      </form>
      {foot}
    </Section>
  )
}

/** Shows a failure at the field it names, which gets the focus; returns the sentence of any other failure. */
export function showFieldProblem<Values extends object>(
  form: UseFormReturnType<Values>,
  error: unknown,
): string | undefined {
  const message = describeError(error)
  const found = fieldProblemOf(message, Object.keys(form.getValues()))
  if (found === undefined) return message
  form.setFieldError(found.name, found.text)
  form.getInputNode(found.name)?.focus()
  return undefined
}

/** Saves settings; when everybody has to sign in afterwards, goes there. */
export function useSaveSettings(onProblem?: (error: unknown) => void) {
  return useAction<SettingsChange, SettingsAnswer>({
    run: (body) => answer(api.POST('/api/settings', { body })),
    renew: [keys.settings, keys.session],
    onDone: ({ redirect }) => redirect !== undefined && window.location.assign(redirect),
    ...(onProblem === undefined ? {} : { onProblem }),
  })
}

function Field({ form, field }: { form: UseFormReturnType<GroupValues>; field: SettingField }) {
  const { name, label, description, unit, zero, placeholder, preview } = field
  const isSwitch = unit === undefined && placeholder === undefined
  const props = { label, description, ...form.getInputProps(name, { type: isSwitch ? 'checkbox' : 'input' }) }
  if (isSwitch) return <Switch className="setting-switch" labelPosition="left" {...props} />
  if (unit === undefined) {
    const className = preview === undefined ? 'setting-row' : 'setting-long'
    const texts = { placeholder, autoComplete: 'off', autoCapitalize: 'none', spellCheck: false }
    return (
      <div>
        <TextInput className={className} {...texts} {...props} />
        {preview?.(String(form.getValues()[name] ?? ''))}
      </div>
    )
  }
  const value = form.getValues()[name]
  const isZero = zero !== undefined && value !== '' && Number(value) === 0
  const suffix = isZero ? ` – ${zero}` : ` ${unit}`
  return <NumberInput className="setting-row" suffix={suffix} allowDecimal={false} clampBehavior="none" {...props} />
}
