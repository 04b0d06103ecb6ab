import { Checkbox, NativeSelect, NumberInput, PasswordInput, Stack, Switch, Textarea, TextInput } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { type ReactNode, useState } from 'react'
import { applyFieldProblems } from './form-problems.ts'
import { Section } from './page-parts.tsx'
import { SaveBar } from './save-bar.tsx'
import { useAction } from './use-action.ts'

/** One field of a settings form; `name` is the member of its values. */
export interface SettingsField<Values> {
  readonly name: keyof Values & string
  /** `lines` is a text with one entry per line, `secret` one that is not shown. */
  readonly kind: 'text' | 'url' | 'secret' | 'number' | 'lines' | 'checkbox' | 'switch' | 'select'
  readonly label: string
  readonly description?: string | ((values: Values) => string)
  readonly placeholder?: string
  /** Unit behind a number, with its blank. */
  readonly suffix?: string
  /** Writes a number with thousands separators. */
  readonly isGrouped?: boolean
  /** Choices of a select: value and label. */
  readonly choices?: Readonly<Record<string, string>>
  /** Shows the field only while this holds. */
  readonly when?: (values: Values) => boolean
}

/** A section of a settings form. */
export interface SettingsSection<Values> {
  readonly title: string
  readonly fields: readonly SettingsField<Values>[]
}

interface SettingsFormProps<Values> {
  form: UseFormReturnType<Values>
  /** Members that differ from the stored settings, see `changedValues`. */
  changes: object
  save(): Promise<{ message: string }>
  /** Cached answers to read again afterwards. */
  renew: readonly (readonly unknown[])[]
  sections: readonly SettingsSection<Values>[]
  /** What stands before the sections. */
  children?: ReactNode
}

/** A form for settings that are saved together; the server's field problems stand at their inputs, any other in the bar. */
export function SettingsForm<Values extends Record<string, unknown>>(props: SettingsFormProps<Values>) {
  const { form, changes, renew, sections, children } = props
  const [problem, setProblem] = useState<string>()
  const count = Object.keys(changes).length
  const save = useAction<void, { message: string }>({
    run: () => props.save(),
    renew,
    onProblem: (error) => setProblem(applyFieldProblems(form, error) ?? undefined),
  })
  const submit = form.onSubmit(() => {
    setProblem(undefined)
    if (count > 0) save.mutate()
  })
  return (
    <form onSubmit={submit} noValidate className="hearth-stack settings-form">
      {children}
      {sections.map(({ title, fields }) => (
        <Section key={title} title={title}>
          <Stack>
            {fields
              .filter(({ when }) => when?.(form.getValues()) ?? true)
              .map((field) => (
                <Field key={field.name} form={form} field={field} />
              ))}
          </Stack>
        </Section>
      ))}
      <SaveBar count={count} problem={problem} isSaving={save.isPending} onDiscard={() => form.reset()} />
    </form>
  )
}

interface FieldProps<Values> {
  form: UseFormReturnType<Values>
  field: SettingsField<Values>
}

function Field<Values extends Record<string, unknown>>({ form, field }: FieldProps<Values>) {
  const { name, kind, label, placeholder = '', suffix = '', isGrouped = false, choices = {} } = field
  const description = typeof field.description === 'function' ? field.description(form.getValues()) : field.description
  const isSwitch = kind === 'checkbox' || kind === 'switch'
  const props = { label, description, ...form.getInputProps(name, { type: isSwitch ? 'checkbox' : 'input' }) }
  switch (kind) {
    case 'text':
      return <TextInput {...props} placeholder={placeholder} />
    case 'url':
      return <TextInput {...props} placeholder={placeholder} type="url" spellCheck={false} />
    case 'secret':
      return <PasswordInput {...props} placeholder={placeholder} autoComplete="off" />
    case 'number':
      return <NumberInput {...props} suffix={suffix} thousandSeparator={isGrouped && ','} clampBehavior="none" />
    case 'lines':
      return <Textarea {...props} placeholder={placeholder} autosize minRows={2} spellCheck={false} />
    case 'checkbox':
      return <Checkbox {...props} />
    case 'switch':
      return <Switch {...props} />
    case 'select':
      return <NativeSelect {...props} data={Object.entries(choices).map(([value, text]) => ({ value, label: text }))} />
  }
}
