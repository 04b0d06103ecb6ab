import { TagsInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { answer, FormDialog, formatCount, notifyDone } from '@hearth/ui'
import { useQueryClient } from '@tanstack/react-query'
import { api, keys, type Job } from '../api.ts'
import { listOf } from './library-query.ts'
import { inParts } from './selection-bar.tsx'
import { useLibraryTags } from './use-library.ts'

/** Dialog that gives tags to downloads and takes those away that all of them have. */
export function TagsDialog({ jobs, onClose }: { jobs: readonly Job[]; onClose: () => void }) {
  const cache = useQueryClient()
  const known = useLibraryTags().data ?? []
  const [first] = jobs
  const common = (first?.tags ?? []).filter((tag) => jobs.every(({ tags }) => tags.includes(tag)))
  const form = useForm({ initialValues: { tags: common } })
  const isOne = jobs.length === 1
  const submit = async ({ tags }: { tags: string[] }) => {
    const wanted = tags.flatMap((tag) => listOf(tag)).map((tag) => tag.trim().toLowerCase())
    const change = {
      add: wanted.filter((tag) => !common.includes(tag)),
      remove: common.filter((tag) => !wanted.includes(tag)),
    }
    await inParts(
      jobs.map(({ id }) => id),
      async (job_ids) => {
        const changed = await answer(api.POST('/api/library/tags', { body: { job_ids, ...change } }))
        for (const job of changed.jobs) cache.setQueryData<Job>(keys.job(job.id), job)
      },
    )
  }
  return (
    <FormDialog
      opened
      onClose={onClose}
      title={isOne ? 'Tags' : `Tags of ${formatCount(jobs.length, 'download')}`}
      form={form}
      submitLabel="Save"
      submit={submit}
      onDone={() => notifyDone('The tags are saved')}
      renew={[keys.library, keys.libraryTags]}
    >
      <TagsInput
        label={isOne ? 'Tags' : 'Tags that all of them have'}
        description={
          isOne
            ? 'Enter or a comma ends a tag'
            : 'What you add goes to all of them; what you take away is taken from all'
        }
        placeholder="Add a tag"
        data={known.map(({ tag }) => tag)}
        splitChars={[',']}
        acceptValueOnBlur
        data-autofocus
        {...form.getInputProps('tags')}
      />
    </FormDialog>
  )
}
