import { useUploads } from '../certificates/read-certificates.ts'

/** An uploaded certificate as one of a choice. */
export interface UploadChoice {
  readonly value: number
  readonly label: string
}

/** Certificates that were uploaded with their keys. */
export const useOwnCertificates = (isWanted: boolean): readonly UploadChoice[] => useChoices('certificate', isWanted)

/** Authorities that were uploaded. */
export const useAuthorities = (isWanted: boolean): readonly UploadChoice[] => useChoices('authority', isWanted)

function useChoices(kind: 'certificate' | 'authority', isWanted: boolean): readonly UploadChoice[] {
  const { data } = useUploads(isWanted)
  const fitting = (data?.certificates ?? []).filter((upload) => upload.kind === kind)
  return fitting.map(({ id, name, names }) => ({
    value: id,
    label: names.length === 0 ? name : `${name} (${names.slice(0, 2).join(', ')})`,
  }))
}
