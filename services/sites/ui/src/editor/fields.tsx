import { NativeSelect, NumberInput, PasswordInput, Switch, TagsInput, Textarea, TextInput } from '@mantine/core'
import { createContext, type ReactNode, use } from 'react'
import { type Draft, valueAt } from './draft.ts'
import { type Issue, issueAt } from './issues.ts'

/** The draft that the fields of the editor read and change. */
interface Editing {
  readonly draft: Draft
  /** The draft before any change. */
  readonly base: Draft
  readonly issues: readonly Issue[]
  /** Puts a value at a path such as `tls.mode`. */
  readonly set: (path: string, value: unknown) => void
}

const EditingContext = createContext<Editing | undefined>(undefined)

/** Gives the fields below what they work on. */
export const EditingProvider = EditingContext.Provider

/** Returns the draft that the fields work on. Throws outside of an editor. */
export function useEditing(): Editing {
  const editing = use(EditingContext)
  if (editing === undefined) throw new Error('no editor around this field')
  return editing
}

interface FieldProps {
  /** Path of the value in the draft, such as `tls.mode`. */
  path: string
  label: string
  /** The whole name, where the label is short because it stands in a row. */
  'aria-label'?: string
  description?: ReactNode
}

function useField(path: string, isWhole = false) {
  const { draft, issues, set } = useEditing()
  return {
    value: valueAt(draft, path),
    error: issueAt(issues, path, isWhole),
    set: (value: unknown) => set(path, value),
  }
}

interface TextProps extends FieldProps {
  placeholder?: string
  /** Nothing typed is null, not an empty text. */
  isNullable?: boolean
  isMono?: boolean
  isSecret?: boolean
  list?: string
}

/** One line of text. */
export function TextField({ path, isNullable = false, isMono = false, isSecret = false, ...rest }: TextProps) {
  const { value, error, set } = useField(path)
  const shared = {
    ...rest,
    error,
    autoComplete: isSecret ? 'new-password' : 'off',
    spellCheck: false,
    value: typeof value === 'string' ? value : '',
    onChange: (event: React.ChangeEvent<HTMLInputElement>) => {
      const text = event.currentTarget.value
      set(isNullable && text === '' ? null : text)
    },
  }
  if (isSecret) return <PasswordInput {...shared} />
  return <TextInput {...shared} classNames={{ input: isMono ? 'mono-input' : '' }} />
}

/** Several lines of text. */
export function TextAreaField(props: TextProps & { rows?: number }) {
  const { path, isNullable = false, isMono = false, rows = 4, ...rest } = props
  const { value, error, set } = useField(path)
  return (
    <Textarea
      {...rest}
      error={error}
      autosize
      minRows={rows}
      maxRows={24}
      spellCheck={false}
      classNames={{ input: isMono ? 'mono-input' : '' }}
      value={typeof value === 'string' ? value : ''}
      onChange={(event) => {
        const text = event.currentTarget.value
        set(isNullable && text === '' ? null : text)
      }}
    />
  )
}

interface NumberProps extends FieldProps {
  min: number
  max: number
  /** Meaning of an empty field, such as `Caddy's own`. */
  placeholder?: string
  isNullable?: boolean
  isWhole?: boolean
}

/** A number. Nothing typed is null where that means something, and the default elsewhere. */
export function NumberField({ path, isNullable = false, isWhole = true, ...rest }: NumberProps) {
  const { value, error, set } = useField(path)
  return (
    <NumberInput
      {...rest}
      error={error}
      clampBehavior="none"
      hideControls
      inputMode={isWhole ? 'numeric' : 'decimal'}
      allowDecimal={!isWhole}
      value={typeof value === 'number' ? value : ''}
      onChange={(next) => set(typeof next === 'number' ? next : isNullable ? null : undefined)}
    />
  )
}

/** On or off. */
export function SwitchField({ path, label, description }: FieldProps) {
  const { value, error, set } = useField(path)
  return (
    <Switch
      label={label}
      description={description}
      error={error}
      checked={value === true}
      onChange={(event) => set(event.currentTarget.checked)}
    />
  )
}

/** A part of a site that is there or not: switched on it begins with `blank`. */
export function PartSwitch({ path, blank, label, description }: FieldProps & { blank: object }) {
  const { value, set } = useField(path)
  return (
    <Switch
      label={label}
      description={description}
      checked={value !== null && value !== undefined}
      onChange={(event) => set(event.currentTarget.checked ? structuredClone(blank) : null)}
    />
  )
}

interface SelectProps extends FieldProps {
  options: readonly { value: string | number; label: string; disabled?: boolean }[]
  /** An empty value stands for null. */
  isNullable?: boolean
}

/** One of several. */
export function SelectField({ path, options, isNullable = false, ...rest }: SelectProps) {
  const { value, error, set } = useField(path)
  return (
    <NativeSelect
      {...rest}
      error={error}
      value={typeof value === 'string' || typeof value === 'number' ? String(value) : ''}
      data={options.map((option) => ({ ...option, value: String(option.value) }))}
      onChange={(event) => {
        const text = event.currentTarget.value
        const chosen = options.find((option) => String(option.value) === text)?.value
        set(isNullable && text === '' ? null : chosen)
      }}
    />
  )
}

interface ListProps extends FieldProps {
  placeholder?: string
  /** Kept as numbers. */
  isNumeric?: boolean
  max?: number
}

/** Several short texts, split at blanks, commas and line ends. */
export function ListField({ path, placeholder, isNumeric = false, max = 256, ...rest }: ListProps) {
  const { value, error, set } = useField(path, true)
  const texts = Array.isArray(value) ? (value as unknown[]).map(String) : []
  return (
    <TagsInput
      {...rest}
      {...(texts.length > 0 || placeholder === undefined ? {} : { placeholder })}
      error={error}
      value={texts}
      maxTags={max}
      splitChars={[',', ' ', ';', '\n']}
      acceptValueOnBlur
      onChange={(next) => {
        const parts = [...new Set(next.flatMap((text) => text.split(/[\s,;]+/)))].filter((part) => part !== '')
        set(isNumeric ? parts.map(Number) : parts)
      }}
    />
  )
}
