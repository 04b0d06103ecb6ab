import { Checkbox, NumberInput, PasswordInput, TextInput } from '@mantine/core'
import { answer, FormDialog } from '@hearth/ui'
import { useForm } from '@mantine/form'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api, keys, readSettings, type Share } from '../api.ts'
import { changeOf, checkValues, newValues, valuesOf, type ShareValues } from './share-values.ts'

interface NewShareProps {
  /** Ids of the jobs, in the order of the page. */
  jobIds: readonly string[]
  onClose: () => void
  onDone?: (share: Share) => void
}

/** Makes a link to one or several files; its values begin with those of the settings. */
export function NewShare({ jobIds, onClose, onDone }: NewShareProps) {
  const settings = useQuery({ queryKey: keys.settings, queryFn: readSettings })
  const [openedAt] = useState(() => new Date())
  if (settings.data === undefined) return null
  const body = (values: ShareValues) => ({ job_ids: [...jobIds], ...changeOf(values) })
  return (
    <ShareDialog
      title={jobIds.length === 1 ? 'Share the file' : `Share ${jobIds.length} files`}
      submitLabel="Create link"
      initial={newValues(settings.data, openedAt)}
      submit={(values) => answer(api.POST('/api/shares', { body: body(values) }))}
      onClose={onClose}
      onDone={onDone}
    />
  )
}

/** Changes a link under its address. */
export function EditShare({ share, onClose }: { share: Share; onClose: () => void }) {
  return (
    <ShareDialog
      title="Change the link"
      submitLabel="Save"
      initial={valuesOf(share)}
      hasPassword={share.has_password}
      submit={(values) =>
        answer(api.PATCH('/api/shares/{id}', { params: { path: { id: share.id } }, body: changeOf(values, share) }))
      }
      onClose={onClose}
    />
  )
}

interface ShareDialogProps {
  title: string
  submitLabel: string
  initial: ShareValues
  hasPassword?: boolean
  submit: (values: ShareValues) => Promise<Share>
  onClose: () => void
  onDone?: ((share: Share) => void) | undefined
}

function ShareDialog({ title, submitLabel, initial, hasPassword = false, ...props }: ShareDialogProps) {
  const form = useForm<ShareValues>({
    initialValues: initial,
    validate: (values) => checkValues(values, new Date()),
  })
  const isOpen = form.values.is_open
  return (
    <FormDialog<ShareValues, Share>
      opened
      onClose={props.onClose}
      title={title}
      form={form}
      submitLabel={submitLabel}
      submit={props.submit}
      onDone={(share) => props.onDone?.(share)}
      renew={[keys.allShares]}
    >
      <TextInput
        label="Title of the page"
        description="Empty takes the title of the file, or the number of several"
        maxLength={120}
        data-autofocus
        {...form.getInputProps('name')}
      />
      <TextInput
        type="datetime-local"
        label="Ends"
        description="The link gives nothing any more then; empty means never"
        {...form.getInputProps('expires_at')}
      />
      <NumberInput
        label="Uses"
        description="How many may fetch by it; 0 is without limit"
        min={0}
        max={10_000}
        allowDecimal={false}
        {...form.getInputProps('max_uses')}
      />
      <PasswordInput
        label={hasPassword ? 'New password' : 'Password'}
        description={
          hasPassword
            ? 'Empty keeps the present one; another locks out who knew it'
            : 'Visitors are asked for it; empty means none'
        }
        autoComplete="new-password"
        disabled={isOpen}
        {...form.getInputProps('password')}
      />
      {hasPassword && <Checkbox label="Remove the password" {...form.getInputProps('is_open', { type: 'checkbox' })} />}
    </FormDialog>
  )
}
