/** The response code by which a bridge says that its server cannot be asked; unassigned, so no server sends it. */
export const unreachableCode = 15
