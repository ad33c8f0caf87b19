/** The version of the contract, in the OpenAPI document and in spans. */
export const API_VERSION = '0.1.0'
