/** How messages and requests name the service and this client. */
export const service = "a Pet Store"
export const exampleUrl = "https://pets.example.org/v1"
export const userAgent = "petstore-http-client/1.0.0"
