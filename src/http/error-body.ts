import { STATUS_CODES } from 'node:http'
import { FaultyContent, FaultyUpload, FaultyUsers, type HttpError } from '../domain/refusals.js'

/** The body of an error answer: the same keys everywhere. */
export function errorBody(error: HttpError, requestId?: string): Record<string, unknown> {
  return {
    statusCode: error.statusCode,
    error: STATUS_CODES[error.statusCode],
    message: error.message,
    ...(error.statusCode >= 500 && requestId !== undefined && { requestId }),
    ...(error instanceof FaultyUpload && { errors_total: error.total }),
    ...((error instanceof FaultyContent || error instanceof FaultyUsers) && { errors: error.faults }),
  }
}
