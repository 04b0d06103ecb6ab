import { answer, FormDialog } from '@hearth/ui'
import { TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { api, type NameRequest } from '../../api.ts'
import { requestRenewals } from './request-list.tsx'

/** Refuses a request, with a word for the person. */
export function RefuseRequest({ request, onClose }: { request: NameRequest; onClose: () => void }) {
  const form = useForm({ initialValues: { answer: '' } })
  return (
    <FormDialog
      opened
      onClose={onClose}
      title={`Refuse ${request.domain}?`}
      submitLabel="Refuse"
      form={form}
      submit={(values) =>
        answer(
          api.POST('/api/dns/requests/{id}/answer', {
            params: { path: { id: request.id } },
            body: { allow_for: null, answer: values.answer },
          }),
        )
      }
      renew={requestRenewals}
    >
      <TextInput
        label={`A word for ${request.peer}`}
        description="Optional; it stands on the page of the device"
        maxLength={200}
        data-autofocus
        {...form.getInputProps('answer')}
      />
    </FormDialog>
  )
}
