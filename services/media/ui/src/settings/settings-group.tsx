import { Button, Group, NumberInput, Stack, Switch, TextInput } from '@mantine/core'
import { answer, describeError, Problem, Section, useAction } from '@hearth/ui'
import { useForm, type UseFormReturnType } from '@mantine/form'
import { useState, type ReactNode } from 'react'
import { api, keys, type Settings, type SettingsAnswer, type SettingsChange } from '../api.ts'
import { changesOf, fieldProblemOf, valuesOf, type GroupValues, type SettingName } from './setting-fields.ts'

export type GroupForm = UseFormReturnType<GroupValues>

interface GroupProps {
  title: string
  settings: Settings
  names: readonly SettingName[]
  children: (form: GroupForm) => ReactNode
  /** Stands under the fields and is not saved with them. */
  foot?: ReactNode
}

/** Some settings that belong together: saved together, and only what changed. */
export function SettingsGroup(props: GroupProps) {
  const stored = valuesOf(props.settings, props.names)
  // Somebody else may have changed one of these; another group's save must not touch what is typed here.
  return <GroupFields key={JSON.stringify(stored)} {...props} stored={stored} />
}

function GroupFields({ title, names, children, foot, stored }: GroupProps & { stored: GroupValues }) {
  const [problem, setProblem] = useState<string>()
  const form = useForm<GroupValues>({ initialValues: stored })
  const changes = changesOf(form.getValues(), stored)
  const isDirty = Object.keys(changes).length > 0
  const save = useSaveSettings((error) => {
    const message = describeError(error)
    const found = fieldProblemOf(message, names)
    if (found === undefined) return setProblem(message)
    form.setFieldError(found.name, found.text)
    form.getInputNode(found.name)?.focus()
  })
  const submit = form.onSubmit(() => {
    setProblem(undefined)
    if (isDirty) save.mutate(changes)
  })
  return (
    <Section title={title}>
      <form onSubmit={submit} noValidate>
        <Stack gap="sm">
          <div className="setting-rows">{children(form)}</div>
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

/** Saves settings; when everybody has to sign in afterwards, goes there. */
export function useSaveSettings(onProblem?: (error: unknown) => void) {
  return useAction<SettingsChange, SettingsAnswer>({
    run: (body) => answer(api.POST('/api/settings', { body })),
    renew: [keys.settings, keys.session],
    onDone: ({ redirect }) => redirect !== undefined && window.location.assign(redirect),
    ...(onProblem === undefined ? {} : { onProblem }),
  })
}

interface FieldProps {
  form: GroupForm
  name: SettingName
  label: string
  description: string
}

/** A whole number with its unit; `zero` is what 0 means where that is something else than none. */
export function NumberField({
  form,
  name,
  label,
  description,
  unit,
  zero,
}: FieldProps & { unit: string; zero?: string }) {
  const isZero = zero !== undefined && Number(form.getValues()[name]) === 0 && form.getValues()[name] !== ''
  return (
    <NumberInput
      className="setting-row"
      label={label}
      description={description}
      suffix={isZero ? ` – ${zero}` : ` ${unit}`}
      allowDecimal={false}
      clampBehavior="none"
      {...form.getInputProps(name)}
    />
  )
}

export function TextField({ form, name, label, description, placeholder }: FieldProps & { placeholder: string }) {
  return (
    <TextInput
      className="setting-row"
      label={label}
      description={description}
      placeholder={placeholder}
      autoComplete="off"
      autoCapitalize="none"
      spellCheck={false}
      {...form.getInputProps(name)}
    />
  )
}

export function SwitchField({ form, name, label, description }: FieldProps) {
  return (
    <Switch
      className="setting-switch"
      labelPosition="left"
      label={label}
      description={description}
      {...form.getInputProps(name, { type: 'checkbox' })}
    />
  )
}
