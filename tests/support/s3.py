"""An object store on this machine that speaks S3: moto's server."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

ENVIRONMENT = {
    "AWS_ACCESS_KEY_ID": "testing",
    "AWS_SECRET_ACCESS_KEY": "testing",
    "AWS_DEFAULT_REGION": "us-east-1",
    "AWS_EC2_METADATA_DISABLED": "true",
}


@contextmanager
def object_store() -> Iterator[str]:
    """Yields the address of a server, which the environment names meanwhile."""
    from moto.server import ThreadedMotoServer
    from s3fs import S3FileSystem

    server = ThreadedMotoServer("127.0.0.1", 0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    address = f"http://{host}:{port}"
    given = {**ENVIRONMENT, "AWS_ENDPOINT_URL": address}
    before = {name: os.environ.get(name) for name in given}
    os.environ.update(given)
    # Clients are kept by what they were made with, and the address is none of that.
    S3FileSystem.clear_instance_cache()
    try:
        yield address
    finally:
        server.stop()
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


def fill(bucket: str, objects: Mapping[str, bytes]) -> Any:
    """Puts objects into a new bucket; returns the client that did."""
    import botocore.session

    client = botocore.session.get_session().create_client("s3")
    client.create_bucket(Bucket=bucket)
    for key, content in objects.items():
        client.put_object(Bucket=bucket, Key=key, Body=content)
    return client


def fill_server(bucket: str, files: Mapping[str, Path]) -> None:
    """Puts many files into a new bucket of the server of this process, without asking it."""
    from moto.s3.models import s3_backends

    backend = s3_backends["123456789012"]["aws"]
    backend.create_bucket(bucket, ENVIRONMENT["AWS_DEFAULT_REGION"])
    for key, path in files.items():
        backend.put_object(bucket, key, path.read_bytes())
